/**
 * Text of a model or a tool, made safe for a terminal: control characters appear as their pictures (␛, ␇), so that no
 * output can move the cursor, set the clipboard or rename the window. One character at a time, so a sequence that is
 * split over two chunks is as harmless. Newlines and tabs stay; a carriage return before a newline is dropped.
 */
export function visible(text: string): string {
  return text.replace(/(?<!\r)\r+(?=\n)/g, "").replace(ACTING, picture);
}

/** Control characters, and those that make a text read in another order than it is. */
const ACTING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x7f) return "\u2421";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
}

/** What this program itself may send to a terminal: its colours, and going back over a line of progress. */
const OWN_SEQUENCES = /(\x1b\[(?:[012]|22|3[0-79]|9[0-7])m|^\r\x1b\[K)/;

/**
 * The last gate before a terminal, for everything that is printed: names of files and agents, messages of errors and of
 * providers come from elsewhere too. Only this program's own sequences pass.
 */
export function terminalText(text: string): string {
  ACTING.lastIndex = 0;
  if (!ACTING.test(text)) return text;
  return text.split(OWN_SEQUENCES).map((piece, index) => (index % 2 === 1 ? piece : visible(piece))).join("");
}

/** The same in one line: every run of white space is one space. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, " ").trim());
}
