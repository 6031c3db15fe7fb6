/**
 * Text of a model or a tool, made safe for a terminal: control characters appear as their pictures (␛, ␇), so that no
 * output can move the cursor, set the clipboard or rename the window. One character at a time, so a sequence that is
 * split over two chunks is as harmless. Newlines and tabs stay; a carriage return before a newline is dropped.
 */
export function visible(text: string): string {
  return text.replace(/\r+(?=\n)/g, "").replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x7f) return "\u2421";
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}

/** The same in one line: every run of white space is one space. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, " ").trim());
}
