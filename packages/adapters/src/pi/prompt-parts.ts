import { fileURLToPath } from "node:url";
import type { TurnInput } from "@beeuni/harness";
import type { NativeImage } from "./sdk.ts";
import { headOf } from "./tools/limits.ts";
import { readRegularFile } from "./tools/regular-file.ts";

/** A prompt as Pi takes it. */
export interface NativePrompt {
  text: string;
  images: NativeImage[];
}

const MAX_IMAGE_BYTES = 20 * 1_024 * 1_024;

/**
 * Joins the parts of a prompt. Images go along as images when the model sees any; text files as text in a section of their
 * own; of everything else the model is told the name. A file that can't be read is named with the reason: a prompt is
 * never refused for it.
 */
export async function nativePrompt(parts: TurnInput["parts"], seesImages: boolean): Promise<NativePrompt> {
  const texts: string[] = [];
  const images: NativeImage[] = [];
  for (const part of parts) {
    if (part.type === "text") {
      texts.push(part.text);
      continue;
    }
    const name = part.filename ?? (part.url.startsWith("data:") ? part.mime : part.url);
    const isImage = part.mime.startsWith("image/");
    const isText = /^text\/|[/+](?:json|xml|yaml|toml|javascript|typescript|x-sh)$/.test(part.mime);
    if (!isImage && !isText) texts.push(`[attached file: ${name} (${part.mime})]`);
    else if (isImage && !seesImages) texts.push(`[attached image: ${name}; this model takes no images]`);
    else {
      const content = await contentOf(part.url);
      if (typeof content === "string") texts.push(`[attached file: ${name}; ${content}]`);
      else if (isImage) images.push({ type: "image", data: content.toString("base64"), mimeType: part.mime });
      else texts.push(fileSection(name, content.toString()));
    }
  }
  return { text: texts.join("\n\n"), images };
}

function fileSection(name: string, text: string): string {
  const { text: shown, truncated } = headOf(text);
  return `<file name="${name}">\n${shown}${truncated ? "\n[cut off here]" : ""}\n</file>`;
}

/** The bytes, or why there are none. */
async function contentOf(url: string): Promise<Buffer | string> {
  try {
    if (url.startsWith("data:")) {
      const match = /^data:[^,]*?(;base64)?,/.exec(url);
      if (match === null) return "its data URL is malformed";
      const data = url.slice(match[0].length);
      return match[1] === undefined ? Buffer.from(decodeURIComponent(data)) : Buffer.from(data, "base64");
    }
    if (!url.startsWith("file:")) return "its address is not one that is read here";
    const read = await readRegularFile(fileURLToPath(url), MAX_IMAGE_BYTES);
    if (read.kind === "content") return read.content;
    return read.kind === "too large" ? `it is larger than ${MAX_IMAGE_BYTES} bytes` : "it is not a regular file";
  } catch (error) {
    return `it can't be read (${(error as Error).message})`;
  }
}
