/** A text file's content: without byte-order mark, with `\n` line ends. `isExact` is false when it is not UTF-8. */
export function decodeText(bytes: Uint8Array): { text: string; isExact: boolean } {
  const text = new TextDecoder("utf-8").decode(bytes).replace(/\r\n?/g, "\n");
  return { text, isExact: !text.includes("\uFFFD") || isUtf8(bytes) };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
