/** What a model gets of one output. The rest stays in a file, or is a matter of asking again. */
export const MAX_LINES = 2_000;
export const MAX_BYTES = 50 * 1_024;

export interface Bounded {
  text: string;
  /** Lines and UTF-8 bytes in `text`. */
  lines: number;
  bytes: number;
  truncated: boolean;
}

/** The first whole lines that fit. A first line that is too long alone is cut. */
export function headOf(text: string, maxLines: number = MAX_LINES, maxBytes: number = MAX_BYTES): Bounded {
  let end = 0;
  let lines = 0;
  let bytes = 0;
  while (end < text.length && lines < maxLines) {
    const newline = text.indexOf("\n", end);
    const next = newline < 0 ? text.length : newline + 1;
    const size = Buffer.byteLength(text.slice(end, next));
    if (bytes + size > maxBytes) break;
    bytes += size;
    end = next;
    lines++;
  }
  if (end === text.length) return { text, lines, bytes, truncated: false };
  if (end === 0) {
    const cut = cutBytes(text, maxBytes);
    return { text: cut, lines: 1, bytes: Buffer.byteLength(cut), truncated: true };
  }
  return { text: text.slice(0, end), lines, bytes, truncated: true };
}

/** The last whole lines that fit; of a last line that is too long, its end. */
export function tailOf(text: string, maxLines: number = MAX_LINES, maxBytes: number = MAX_BYTES): Bounded {
  const hasFinalNewline = text.endsWith("\n");
  let start = text.length;
  let lines = 0;
  let bytes = 0;
  while (start > 0 && lines < maxLines) {
    const from = hasFinalNewline || start < text.length ? start - 2 : start - 1;
    const previous = from < 0 ? -1 : text.lastIndexOf("\n", from);
    const size = Buffer.byteLength(text.slice(previous + 1, start));
    if (bytes + size > maxBytes) break;
    bytes += size;
    start = previous + 1;
    lines++;
  }
  if (start === 0) return { text, lines, bytes, truncated: false };
  if (start === text.length) {
    const buffer = Buffer.from(text.slice(-maxBytes));
    const cut = new TextDecoder().decode(trimStart(buffer.subarray(Math.max(0, buffer.length - maxBytes))));
    return { text: cut, lines: 1, bytes: Buffer.byteLength(cut), truncated: true };
  }
  return { text: text.slice(start), lines, bytes, truncated: true };
}

/** The longest beginning of at most `maxBytes` UTF-8 bytes that splits no character. */
export function cutBytes(text: string, maxBytes: number): string {
  const buffer = Buffer.from(text.slice(0, maxBytes));
  if (buffer.length <= maxBytes) return buffer.toString();
  let end = maxBytes;
  while (end > 0 && (buffer[end]! & 0xc0) === 0x80) end--;
  return buffer.subarray(0, end).toString();
}

/** Drops the rest of a character that was cut in front. */
function trimStart(buffer: Buffer): Buffer {
  let start = 0;
  while (start < buffer.length && (buffer[start]! & 0xc0) === 0x80) start++;
  return buffer.subarray(start);
}
