import { BeeuniError, nearNames } from "@beeuni/protocol/errors";
import type { CommanderError } from "commander";
import { COMMANDS, NOUNS, type CommandSpec } from "./command-table.ts";

/** One of commander's errors in our words, with the nearest names of the table. */
export function usageError(error: CommanderError, words: readonly string[]): BeeuniError {
  const message = error.message.replace(/^error: /, "").replaceAll("'", '"');
  const named = /"(.*)"/.exec(message)?.[1] ?? "";
  const spec = commandOf(words);
  const help = `beeuni ${(spec?.path ?? words.slice(0, 1).filter((word) => word in NOUNS)).join(" ")}`.trim() + " --help";
  if (error.code === "commander.unknownOption" && spec?.path[0] === "run" && /\s/.test(named)) {
    return new BeeuniError("usage", message, { hint: `a prompt that begins with a dash goes after --: beeuni run -- ${JSON.stringify(named)}` });
  }
  if (error.code === "commander.unknownOption") {
    const flags = ["--help", "--version", ...(spec?.options ?? []).flatMap((option) => option.flags.match(/--[\w-]+/g) ?? [])];
    return new BeeuniError("usage", message, { hint: suggestion(nearNames(named.replace(/=.*/, ""), flags), help) });
  }
  if (error.code === "commander.unknownCommand") return unknownCommand(words, help);
  if (error.code === "commander.excessArguments" && spec?.path[0] === "run") {
    return new BeeuniError("usage", "the prompt is one argument", { hint: 'put it in quotes: beeuni run "first do this, then that"' });
  }
  if (error.code === "commander.missingArgument" || error.code === "commander.excessArguments") {
    return new BeeuniError("usage", message, { hint: `usage: ${usageLine(spec)}` });
  }
  return new BeeuniError("usage", message, { hint: `see ${help}` });
}

/** A noun alone: commander would print its help as an error. */
export function verbMissing(words: readonly string[]): BeeuniError {
  const noun = words[0]!;
  return new BeeuniError("usage", `beeuni ${noun} needs a verb`, { hint: `beeuni ${noun} ${verbsOf(noun).join("|")}` });
}

/** For words whose help is asked for: the error when they name no command; commander would print the help of what is above. */
export function unknownTopic(words: readonly string[]): BeeuniError | undefined {
  const [first, second] = words.filter((word) => !word.startsWith("-"));
  if (first === undefined || (COMMANDS.some(({ path }) => path[0] === first) && !(first in NOUNS))) return undefined;
  if (first in NOUNS && (second === undefined || verbsOf(first).includes(second))) return undefined;
  return unknownCommand(words, first in NOUNS ? `beeuni ${first} --help` : "beeuni --help");
}

function verbsOf(noun: string): string[] {
  return COMMANDS.filter((spec) => spec.path[0] === noun).map((spec) => spec.path[1]!);
}

function unknownCommand(words: readonly string[], help: string): BeeuniError {
  const [first = "", second] = words.filter((word) => !word.startsWith("-"));
  if (/\s/.test(first)) return new BeeuniError("usage", "a prompt alone is no command", { hint: `beeuni run ${JSON.stringify(first)}` });
  if (first in NOUNS && second !== undefined) {
    return new BeeuniError("usage", `unknown command "${first} ${second}"`, { hint: suggestion(nearNames(second, verbsOf(first)).map((verb) => `beeuni ${first} ${verb}`), help) });
  }
  const names = [...new Set(COMMANDS.map((spec) => spec.path[0]))];
  return new BeeuniError("usage", `unknown command "${first}"`, { hint: suggestion(nearNames(first, names).map((name) => `beeuni ${name}`), help) });
}

function suggestion(near: readonly string[], help: string): string {
  return near.length === 0 ? `see ${help}` : `did you mean ${near.join(" or ")}?`;
}

/** The command that the words name, as far as they name one. */
function commandOf(words: readonly string[]): CommandSpec | undefined {
  return COMMANDS.find((spec) => spec.path.every((word, index) => words[index] === word));
}

function usageLine(spec: CommandSpec | undefined): string {
  if (spec === undefined) return "beeuni <command>";
  return ["beeuni", ...spec.path, ...spec.arguments.map((argument) => argument.name)].join(" ");
}
