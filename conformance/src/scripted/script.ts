/**
 * The prompt of the scripted harness is a little program, one step a line. Blank lines and lines that begin with `#`
 * are skipped. A text that begins with `"` is read as a JSON string, so that it may hold line breaks.
 *
 *     say <text>                    a text part, streamed word by word; it stays open over `sleep`, `hang`, `cut` and `crash`
 *     more <text>                   more text in the open part (a space is put between)
 *     think <text>                  a reasoning part, streamed
 *     run <command>                 the model calls `bash`: a real shell in its own process group
 *     tool <name> {json}            the model calls a tool: built in, the host's, or `question`
 *     tool <name> {json} => <text>  … with this result and no effect of its own
 *     tool <name> {json} =! <text>  … that fails with this error
 *     host <name> {json}            the model calls a host tool, whether it is offered or not
 *     ask <header>: <question> | <option> | <option>
 *     & <tool, run, host or ask>    a further call of the same message; the calls of one message run side by side
 *     recall                        a text part that says what the harness's own session remembers
 *     usage <input> <output>        what later messages report; `usage none`: no report comes
 *     sleep <ms> · hang             wait; a stop ends both
 *     retry <attempt> <message>     the model is asked again
 *     notice <level> <code> <message>
 *     self-turn [ms]                the prompt's turn ends; the harness begins another one by itself with the rest
 *     fail <code> <message>         the turn fails
 *     cut                           the model's stream breaks off: an error of the upstream, usage unknown
 *     crash                         the harness dies: nothing that is open gets an end, and later prompts fail
 *     @<child> <step>               the step happens in a sub-agent's session; `@<child> done` ends its turn
 */
export type Step = { line: number; child: string | null } & StepBody;

export type StepBody =
  | { kind: "say" | "more" | "think"; text: string }
  | { kind: "call"; tool: string; input: { [key: string]: unknown }; given: Given | null; via: "any" | "host"; joins: boolean }
  | { kind: "usage"; tokens: { input: number; output: number } | null }
  | { kind: "sleep" | "self-turn"; ms: number }
  | { kind: "retry"; attempt: number; message: string }
  | { kind: "notice"; level: "info" | "warning" | "error"; code: string; message: string }
  | { kind: "fail"; code: string; message: string }
  | { kind: "recall" | "hang" | "cut" | "crash" | "done" };

/** A result that the script gives instead of an execution. */
export interface Given { isError: boolean; text: string }

/** All problems of a script at once, each with its line. */
export class ScriptError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the prompt is not a script: ${problems.join("; ")}`);
    this.name = "ScriptError";
    this.problems = problems;
  }
}

/** Reads a script. Throws a ScriptError that names every bad line. */
export function parseScript(source: string): Step[] {
  const steps: Step[] = [];
  const problems: string[] = [];
  source.split("\n").forEach((raw, index) => {
    const text = raw.trim();
    if (text === "" || text.startsWith("#")) return;
    const child = /^@(\S+)\s+/.exec(text);
    try {
      steps.push({ line: index + 1, child: child?.[1] ?? null, ...parseStep(text.slice(child?.[0].length ?? 0)) });
    } catch (problem) {
      problems.push(`line ${index + 1}: ${(problem as Error).message}`);
    }
  });
  if (problems.length > 0) throw new ScriptError(problems);
  return steps;
}

function parseStep(text: string): StepBody {
  if (text.startsWith("& ")) {
    const step = parseStep(text.slice(2).trim());
    if (step.kind !== "call") throw new Error(`\`&\` goes before a tool call, not before \`${step.kind}\``);
    return { ...step, joins: true };
  }
  const word = /^\S+/.exec(text)?.[0] ?? "";
  const rest = text.slice(word.length).trim();
  switch (word) {
    case "say": case "more": case "think":
      return { kind: word, text: rest.startsWith('"') ? String(JSON.parse(rest)) : rest };
    case "run":
      return call("bash", { command: rest }, null, "any");
    case "tool": case "host":
      return parseCall(rest, word === "host" ? "host" : "any");
    case "ask":
      return call("question", { questions: [parseQuestion(rest)] }, null, "any");
    case "usage":
      return { kind: "usage", tokens: rest === "none" ? null : { input: count(rest, 0), output: count(rest, 1) } };
    case "sleep":
      return { kind: "sleep", ms: count(rest, 0) };
    case "self-turn":
      return { kind: "self-turn", ms: rest === "" ? 0 : count(rest, 0) };
    case "retry":
      return { kind: "retry", attempt: count(rest, 0), message: words(rest, 1) };
    case "notice": {
      const level = rest.split(/\s+/)[0];
      if (level !== "info" && level !== "warning" && level !== "error") throw new Error("a notice's level is info, warning or error");
      return { kind: "notice", level, code: rest.split(/\s+/)[1] ?? "scripted", message: words(rest, 2) };
    }
    case "fail":
      return { kind: "fail", code: rest.split(/\s+/)[0] || "unknown", message: words(rest, 1) };
    case "recall": case "hang": case "cut": case "crash": case "done":
      return { kind: word };
    default:
      throw new Error(`"${word}" is no step (say, more, think, run, tool, host, ask, recall, usage, sleep, hang, retry, notice, self-turn, fail, cut, crash)`);
  }
}

function call(tool: string, input: { [key: string]: unknown }, given: Given | null, via: "any" | "host"): StepBody & { kind: "call" } {
  return { kind: "call", tool, input, given, via, joins: false };
}

function parseCall(rest: string, via: "any" | "host"): StepBody & { kind: "call" } {
  const tool = /^\S+/.exec(rest)?.[0];
  if (tool === undefined) throw new Error("a tool call needs the tool's name");
  const tail = rest.slice(tool.length).trim();
  // The arguments may hold an arrow themselves: the first split whose left side is JSON is the right one.
  for (const arrow of tail.matchAll(/=[>!]/g)) {
    const input = parseObject(tail.slice(0, arrow.index));
    if (input !== null) return call(tool, input, { isError: arrow[0] === "=!", text: tail.slice(arrow.index + 2).trim() }, via);
  }
  const input = parseObject(tail);
  if (input === null) throw new Error(`the arguments of \`${tool}\` are not a JSON object: ${tail}`);
  return call(tool, input, null, via);
}

function parseObject(text: string): { [key: string]: unknown } | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as { [key: string]: unknown }) : null;
  } catch {
    return null;
  }
}

function parseQuestion(rest: string): { header: string; question: string; options: { label: string; description: string }[] } {
  const [text = "", ...labels] = rest.split("|").map((piece) => piece.trim());
  const colon = text.indexOf(":");
  if (colon < 1) throw new Error("ask needs `header: question`");
  return {
    header: text.slice(0, colon).trim(),
    question: text.slice(colon + 1).trim(),
    options: labels.map((label) => ({ label, description: "" })),
  };
}

function count(rest: string, index: number): number {
  const text = rest.split(/\s+/)[index];
  const value = Number(text);
  if (text === undefined || text === "" || !Number.isFinite(value) || value < 0) throw new Error(`a number is missing in \`${rest}\``);
  return value;
}

function words(rest: string, from: number): string {
  return rest.split(/\s+/).slice(from).join(" ");
}
