import { extname } from "node:path";
import { headOf, MAX_LINES } from "./limits.ts";
import { readBytes, readTextFile } from "./text-file.ts";
import { ToolError, type Tool, type ToolResult } from "./tool.ts";

const IMAGES: { [extension: string]: string } = { ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp" };
const MAX_IMAGE_BYTES = 5 * 1_024 * 1_024;

export const readTool: Tool = {
  name: "read",
  description:
    `Read a file. Text comes as it is, at most ${MAX_LINES} lines at once: ask for the rest of a longer file with offset and limit. ` +
    "Images (png, jpg, gif, webp) are shown to you if you can see images.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, relative to the workspace or absolute" },
      offset: { type: "integer", minimum: 1, description: "First line to read, counted from 1" },
      limit: { type: "integer", minimum: 1, description: "Most lines to read" },
    },
    required: ["path"],
  },
  async run(input, { locate }) {
    const path = String(input["path"]);
    const real = await locate(path);
    const mime = IMAGES[extname(real).toLowerCase()];
    if (mime !== undefined) return readImage(real, path, mime);
    const text = decodeText(await readTextFile(real, path));
    return pageOf(text, path, Number(input["offset"] ?? 1), input["limit"] === undefined ? MAX_LINES : Number(input["limit"]));
  },
};

function pageOf(text: string, path: string, offset: number, limit: number): ToolResult {
  if (text === "") return { output: "(The file is empty.)", metadata: { path, lines: 0 } };
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const total = lines.length;
  if (offset > total) throw new ToolError("failed", `${path} has ${total} lines; there is no line ${offset}.`);
  const wanted = lines.slice(offset - 1, offset - 1 + limit);
  const page = headOf(wanted.join("\n"));
  const last = offset - 1 + page.lines;
  const metadata = { path, from: offset, to: last, lines: total };
  if (last >= total && !page.truncated) return { output: page.text, metadata };
  if (page.truncated && page.lines === 1 && Buffer.byteLength(wanted[0]!) > page.bytes) {
    return { output: `${page.text}\n[Line ${offset} is ${Buffer.byteLength(wanted[0]!)} bytes long; this is its beginning. Use bash for the rest.]`, metadata };
  }
  return { output: `${page.text.replace(/\n$/, "")}\n[Lines ${offset} to ${last} of ${total}. Read on with offset ${last + 1}.]`, metadata };
}

async function readImage(real: string, path: string, mime: string): Promise<ToolResult> {
  const content = await readBytes(real, path, MAX_IMAGE_BYTES, `and an image may have ${MAX_IMAGE_BYTES}.`);
  const bytes = content.length;
  return { output: `(image ${path}, ${mime}, ${bytes} bytes)`, metadata: { path, mime, bytes }, images: [{ mime, data: content.toString("base64") }] };
}

/** UTF-8 without its byte order mark; bytes that are no UTF-8 become replacement characters. */
function decodeText(content: Buffer): string {
  return new TextDecoder().decode(content);
}
