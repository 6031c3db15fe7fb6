import { createHash } from "node:crypto";

/** SHA-256 (hex) of an assistant's text without the white space around it, which some harnesses trim; null when nothing is left. */
export function textDigest(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === "" ? null : sha256(trimmed);
}

export function sha256(content: string | Uint8Array | readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  if (typeof content === "string" || content instanceof Uint8Array) hash.update(content);
  else for (const piece of content) hash.update(piece);
  return hash.digest("hex");
}
