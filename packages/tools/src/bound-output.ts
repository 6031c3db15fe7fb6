import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolOutput } from "./tool.ts";

/** What one tool result may put into the model's context. */
export const MAX_OUTPUT_BYTES = 49 * 1024;
export const MAX_OUTPUT_LINES = 1990;

/** Leaves a short output alone; of a long one the model gets the head, and the whole goes to a file that it may read. */
export async function boundOutput(tool: string, output: string, directory: string): Promise<ToolOutput> {
  const bytes = Buffer.byteLength(output);
  const lines = countLines(output);
  if (bytes <= MAX_OUTPUT_BYTES && lines <= MAX_OUTPUT_LINES) return { output, metadata: {} };
  const file = join(directory, `${tool}-${Date.now()}-${randomBytes(4).toString("hex")}.txt`);
  const size = `[Output truncated: ${bytes} bytes, ${lines} lines.`;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(file, output, { mode: 0o600, flag: "wx" });
  } catch (thrown) {
    // The call itself worked: losing its result to a full disk would make the agent run it again.
    const note = `${size} The rest could not be kept: ${(thrown as Error).message}.]`;
    return { output: `${head(output)}\n${note}`, metadata: { truncated: true, bytes, lines, file: null } };
  }
  const note = `${size} The whole output is in ${file}; read it in parts or search it.]`;
  return { output: `${head(output)}\n${note}`, metadata: { truncated: true, bytes, lines, file } };
}

/** The longest beginning within both limits: whole lines where there are any, never half a character. */
function head(output: string): string {
  const lines = output.split("\n", MAX_OUTPUT_LINES).join("\n");
  const bytes = Buffer.from(lines);
  if (bytes.length <= MAX_OUTPUT_BYTES) return lines;
  let end = MAX_OUTPUT_BYTES;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  const text = bytes.toString("utf8", 0, end);
  const newline = text.lastIndexOf("\n");
  return newline > 0 ? text.slice(0, newline) : text;
}

function countLines(output: string): number {
  let count = 1;
  for (let at = output.indexOf("\n"); at >= 0; at = output.indexOf("\n", at + 1)) count++;
  return count;
}
