import type { AttributeCall, CallAttribution } from "@beeuni/protocol";
import { headerValue, type RequestHeadRecord } from "./record.ts";
import { sha256 } from "./text-digest.ts";
import { decodeContent } from "./wire/content-coding.ts";
import { fields, parseJson, string } from "./wire/fields.ts";

/** What a recorded request says. Computed once: request bodies grow with the conversation. */
export interface RequestFacts {
  bytes: number;
  sha256: string;
  asked: string | null;
  attribution: CallAttribution;
  notes: string[];
}

export function readRequest(head: RequestHeadRecord, chunks: readonly Uint8Array[], attribute: AttributeCall | undefined): RequestFacts {
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const notes: string[] = [];
  const decoded = decodeContent(bytes, headerValue(head.headers, "content-encoding"));
  if (decoded.problem !== null) notes.push(`request: ${decoded.problem}`);
  const body = parseJson(new TextDecoder().decode(decoded.bytes));
  return {
    bytes: bytes.byteLength,
    sha256: sha256(bytes),
    asked: string(fields(body)["model"]),
    attribution: attributed(head, body, attribute, notes),
    notes,
  };
}

function attributed(head: RequestHeadRecord, body: unknown, attribute: AttributeCall | undefined, notes: string[]): CallAttribution {
  if (attribute === undefined) return { role: "main" };
  try {
    return attribute({ method: head.method, target: head.target, protocol: head.protocol, headers: head.headers, body });
  } catch (error) {
    notes.push(`attribution failed: ${(error as Error).message}`);
    return { role: "unknown" };
  }
}
