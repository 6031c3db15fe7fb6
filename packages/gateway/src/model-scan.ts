/**
 * Finds the value of the top-level `"model"` member of a JSON document without parsing the document: model requests
 * reach tens of megabytes, and the gateway needs these few bytes only.
 *
 * For every text that `JSON.parse` accepts the answer is the one that it would give: the last of several members
 * counts, wherever it stands and however its name is escaped. Undefined when there is none, when its value is not a
 * string, or when the document is no object. A text that is not JSON gets some answer or none, never an exception:
 * the upstream is the one to refuse it.
 */
export function findModel(body: Uint8Array): string | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const hits = new Hits(bytes);
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT || !hits.anyFrom(at)) return undefined;

  let found: string | undefined;
  let depth = 0;
  // At depth 1 a string is a member's name until its colon.
  let atName = false;
  for (; at < bytes.length; at++) {
    switch (bytes[at]) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth++;
        atName = depth === 1;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth--;
        if (depth === 0) return found;
        break;
      case COMMA:
        if (depth === 1) atName = true;
        break;
      case QUOTE: {
        const end = stringEnd(bytes, at + 1);
        if (end < 0) return found;
        if (depth === 1 && atName) {
          atName = false;
          if (isModelName(bytes, at, end)) {
            const value = memberValue(bytes, end + 1);
            if (value === undefined) return found;
            found = decodeString(bytes, value);
          }
        }
        at = end;
        // Nothing of interest is left: the usual case, since most clients put the model first.
        if (!hits.anyFrom(at + 1)) return found;
        break;
      }
    }
  }
  return found;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const PLAIN_NAME = Buffer.from('"model"');
/** Every escaped spelling of the name holds this: its letters are U+0064 … U+006F. */
const ESCAPED_LETTER = Buffer.from("\\u006");

/** Where a member named `model` may still begin, found by native search. */
class Hits {
  readonly #bytes: Buffer;
  #plain: number;
  #escaped: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#plain = bytes.indexOf(PLAIN_NAME);
    this.#escaped = bytes.indexOf(ESCAPED_LETTER);
  }

  anyFrom(at: number): boolean {
    // Each search starts where the last hit was passed, so that the whole text is searched once at most.
    if (this.#plain >= 0 && this.#plain < at) this.#plain = this.#bytes.indexOf(PLAIN_NAME, at);
    if (this.#escaped >= 0 && this.#escaped < at) this.#escaped = this.#bytes.indexOf(ESCAPED_LETTER, at);
    return this.#plain >= 0 || this.#escaped >= 0;
  }
}

/** Index of the closing quote of a string whose content begins at `from`; -1 when the text ends inside it. */
function stringEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    // Short strings, and strings full of escapes, are quicker byte by byte; long plain ones by native search.
    const near = Math.min(bytes.length, at + 64);
    while (at < near) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      at += byte === BACKSLASH ? 2 : 1;
    }
    if (at >= bytes.length) return -1;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return -1;
    let slash = quote;
    while (slash > at && bytes[slash - 1] === BACKSLASH) slash--;
    if ((quote - slash) % 2 === 0) return quote;
    at = quote + 1;
  }
}

function isModelName(bytes: Buffer, quote: number, end: number): boolean {
  if (end - quote === 6) return bytes.compare(PLAIN_NAME, 0, 6, quote, end) === 0;
  // Five escapes of six bytes each are the longest spelling.
  return end - quote <= 31 && bytes.subarray(quote, end).includes(BACKSLASH) && decodeLiteral(bytes, quote, end) === "model";
}

/** Index of the first byte of the value after a name; undefined when no colon follows. */
function memberValue(bytes: Buffer, from: number): number | undefined {
  const colon = skipSpace(bytes, from);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : undefined;
}

function decodeString(bytes: Buffer, quote: number): string | undefined {
  if (bytes[quote] !== QUOTE) return undefined;
  const end = stringEnd(bytes, quote + 1);
  return end < 0 ? undefined : decodeLiteral(bytes, quote, end);
}

/** The text of one string literal, quotes at `quote` and `end`. */
function decodeLiteral(bytes: Buffer, quote: number, end: number): string | undefined {
  const plain = bytes.subarray(quote + 1, end);
  if (!plain.includes(BACKSLASH)) return plain.toString("utf8");
  try {
    return JSON.parse(bytes.toString("utf8", quote, end + 1)) as string;
  } catch {
    return undefined;
  }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}
