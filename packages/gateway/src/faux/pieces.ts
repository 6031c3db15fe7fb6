/** Lengths of the pieces of a text, over and over: some end inside a word, as a tokenizer's do. */
const LENGTHS = [3, 6, 2, 5, 4];
const MOST_PIECES = 400;

/** A text as the pieces that a model would stream, never split inside a character; none for an empty text. */
export function pieces(text: string): string[] {
  const characters = Array.from(text);
  const scale = Math.max(1, Math.ceil(characters.length / 4 / MOST_PIECES));
  const out: string[] = [];
  for (let at = 0; at < characters.length; ) {
    const length = LENGTHS[out.length % LENGTHS.length]! * scale;
    out.push(characters.slice(at, at + length).join(""));
    at += length;
  }
  return out;
}
