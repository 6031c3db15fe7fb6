import type { Json } from "@beeuni/protocol";

/**
 * The script that a prompt may hold. Steps, one per model call:
 *
 *     [[text: T]]                     answers T and ends the turn
 *     [[shell: CMD]]                  calls the tool that takes a `command`
 *     [[tool NAME {json}]]            calls NAME; arguments that its schema requires and {json} lacks are filled in
 *     [[tools: A {json} ; B {json}]]  several calls in one answer
 *     [[err: STATUS]]                 answers with this HTTP status, each time it is asked
 *     [[err: STATUS x2]]              … the first two times that this very request comes, then goes on
 *     [[err: STATUS after S]]         … with `retry-after: S` (429, 503 and 529 say 1 by themselves)
 *     [[cut: T]]                      answers half of T, then breaks the connection
 *     [[hang]]                        never answers
 *
 * and what changes the steps after it:
 *
 *     [[slow: S]]                     S seconds between two chunks, from here on
 *     [[say: T]]  [[think: T]]        text, or reasoning, in front of the next step, in the same answer
 *
 * A tool step is skipped for a request without tools (a title, a summary); `[[tool! …]]` and `[[shell! …]]` are not.
 */
export type Step = { pause: number; say: string; think: string } & StepKind;

export type StepKind =
  | { kind: "text"; text: string }
  | { kind: "shell"; command: string; forced: boolean }
  | { kind: "tools"; calls: ScriptedCall[]; forced: boolean }
  /** `times`: how often this very request is refused; null for always. */
  | { kind: "error"; status: number; times: number | null; retryAfter: number | null; message: string }
  | { kind: "cut"; text: string }
  | { kind: "hang" };

export interface ScriptedCall {
  name: string;
  input: { [key: string]: Json };
}

export interface Script {
  steps: Step[];
  /** Seconds between chunks after the last step. */
  pause: number;
}

const OPENING = /\[\[(shell|tools?|text|say|think|slow|err|hang|cut)(!?)(?=[\s:\]])/g;

/** The script in a text; null when it holds no directive. A directive with bad arguments is a step that says so. */
export function parseScript(text: string): Script | null {
  const steps: Step[] = [];
  let found = false;
  let pause = 0;
  let say = "";
  let think = "";
  const opening = new RegExp(OPENING);
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [, name = "", bang] = match;
    const end = name.startsWith("tool") ? closingAfterCalls(text, opening.lastIndex) : closing(text, opening.lastIndex);
    if (end < 0) continue;
    const body = text.slice(opening.lastIndex, end).replace(/^\s*:?[ \t]?/, "");
    opening.lastIndex = end + 2;
    found = true;
    if (name === "slow") pause = Math.max(0, Number(body) || 0);
    else if (name === "say") say = body;
    else if (name === "think") think = body;
    else {
      steps.push({ pause, say, think, ...readStep(name, body, bang === "!") });
      say = think = "";
    }
  }
  return found ? { steps, pause } : null;
}

function readStep(name: string, body: string, forced: boolean): StepKind {
  switch (name) {
    case "text": return { kind: "text", text: body };
    case "cut": return { kind: "cut", text: body };
    case "hang": return { kind: "hang" };
    case "shell": return { kind: "shell", command: body.trim(), forced };
    case "err": return readError(body);
    default: {
      const calls = readCalls(body);
      return calls === null ? malformed(`[[${name} ${body}]]`) : { kind: "tools", calls, forced };
    }
  }
}

function readError(body: string): StepKind {
  const match = /^\s*([45]\d\d)(?:\s+x(\d+))?(?:\s+after\s+(\d+(?:\.\d+)?))?\s*$/.exec(body);
  if (match === null) return malformed(`[[err: ${body}]]`);
  const status = Number(match[1]);
  const retryAfter = match[3] === undefined ? ([429, 503, 529].includes(status) ? 1 : null) : Number(match[3]);
  return { kind: "error", status, times: match[2] === undefined ? null : Number(match[2]), retryAfter, message: `scripted error ${status}` };
}

function malformed(directive: string): StepKind {
  return { kind: "error", status: 400, times: null, retryAfter: null, message: `the script has a directive that can't be read: ${directive}` };
}

/** `NAME {json} ; NAME {json}`; null when it is not that. */
function readCalls(body: string): ScriptedCall[] | null {
  const calls: ScriptedCall[] = [];
  for (let rest = body.trim(); rest !== ""; ) {
    const name = /^[\w.:/-]+/.exec(rest)?.[0];
    if (name === undefined) return null;
    rest = rest.slice(name.length).trimStart();
    const length = rest.startsWith("{") ? jsonLength(rest) : 0;
    const input = length === 0 ? {} : parseObject(rest.slice(0, length));
    if (input === null) return null;
    calls.push({ name, input });
    rest = rest.slice(length).trimStart();
    if (rest !== "" && !rest.startsWith(";")) return null;
    rest = rest.slice(1).trimStart();
  }
  return calls.length === 0 ? null : calls;
}

function parseObject(text: string): { [key: string]: Json } | null {
  try {
    return JSON.parse(text) as { [key: string]: Json };
  } catch {
    return null;
  }
}

/** Characters of the JSON object that the text begins with; all of them when it does not end. */
function jsonLength(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Index of the `]]` that ends a directive. Inner pairs count (`if [[ -f a ]]; then`), and `a[0]]]` ends at its last two. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text.startsWith("[[", at)) {
      depth++;
      at++;
    } else if (text.startsWith("]]", at)) {
      if (depth === 0) {
        while (text[at + 2] === "]") at++;
        return at;
      }
      depth--;
      at++;
    }
  }
  // An inner pair that took the directive's own end was none.
  return text.indexOf("]]", from);
}

/** The same for calls, whose JSON may hold any brackets. */
function closingAfterCalls(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "{") at += jsonLength(text.slice(at)) - 1;
    else if (text.startsWith("]]", at)) return at;
  }
  return closing(text, from);
}
