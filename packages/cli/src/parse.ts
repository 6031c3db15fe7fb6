// commander: arguments, options and wrapped help, from the command table; it knows nothing of ours but that table.
import { Command, CommanderError, type Help, Option } from "commander";
import { COMMANDS, NOUNS, type CommandSpec } from "./command-table.ts";
import type { Sink } from "./io.ts";
import { wrap } from "./render/width.ts";
import { unknownTopic, usageError, verbMissing } from "./usage-error.ts";

/** A parsed command line. Asking for an option that the table does not give this command is a fault and throws. */
export interface Invocation {
  command: CommandSpec;
  /** One per argument of the table; undefined when left out. A variadic last one is spread. */
  arguments: (string | undefined)[];
  flag(name: string): boolean;
  text(name: string): string | undefined;
  list(name: string): string[];
}

export type Parsed = { kind: "run"; invocation: Invocation } | { kind: "help"; text: string };

/** Reads the words after `beeuni`. Throws a `usage` error with near names; never writes, never exits. */
export function parse(argv: readonly string[], out: Pick<Sink, "columns">): Parsed {
  let invocation: Invocation | undefined;
  let help = "";
  const program = programFor(out.columns, (text) => (help += text), (chosen) => (invocation = chosen));
  const words = expandHelp(argv);
  try {
    if (words.length === 0) program.outputHelp();
    else program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.help") throw verbMissing(words);
    const wrong = error.code === "commander.helpDisplayed" ? unknownTopic(words) : usageError(error, words);
    if (wrong !== undefined) throw wrong;
  }
  return invocation ? { kind: "run", invocation } : { kind: "help", text: help };
}

/** `help run` is `run --help`. */
function expandHelp(argv: readonly string[]): string[] {
  if (argv[0] !== "help" || argv[1]?.startsWith("-")) return [...argv];
  return argv.length === 1 ? [] : [...argv.slice(1), "--help"];
}

function programFor(columns: number, show: (text: string) => void, choose: (invocation: Invocation) => void): Command {
  const width = Math.min(Number.isFinite(columns) ? columns : 80, 100);
  const program = prepare(new Command("beeuni"), width, show)
    .description("Your agent project, on any harness, with every byte on record.")
    .usage("<command> [options]")
    .option("--version", "print the version")
    .addHelpText("after", `\n${wrap("beeuni <command> --help tells more. Exit codes: beeuni help exit-codes", width).join("\n")}`);
  const nouns = new Map<string, Command>();
  for (const spec of COMMANDS) {
    const [first, second] = spec.path;
    let parent = program;
    if (second !== undefined) {
      parent = nouns.get(first) ?? prepare(program.command(first), width, show).description(NOUNS[first] ?? "").usage("<command> [options]");
      nouns.set(first, parent);
    }
    addCommand(parent, spec, width, show, choose);
  }
  return program;
}

function prepare(command: Command, width: number, show: (text: string) => void): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError(false)
    .helpCommand(false)
    .helpOption("-h, --help", "print this help")
    .configureHelp({ minWidthToWrap: 16, helpWidth: width, formatItem, subcommandTerm })
    .configureOutput({ writeOut: show, writeErr: () => undefined, getOutHasColors: () => false });
}

/** As commander does it; where too little room is left beside the term, the description goes below it. */
function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const columns = helper.helpWidth ?? 80;
  const beside = columns - termWidth - 4;
  if (beside >= 24) return `  ${term.padEnd(termWidth)}  ${helper.boxWrap(description, beside).replaceAll("\n", `\n${" ".repeat(termWidth + 4)}`)}`.trimEnd();
  return `  ${term}\n      ${helper.boxWrap(description, columns - 6).replaceAll("\n", "\n      ")}`.trimEnd();
}

function subcommandTerm(command: Command): string {
  return [command.name(), ...command.registeredArguments.map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))].join(" ");
}

function addCommand(parent: Command, spec: CommandSpec, width: number, show: (text: string) => void, choose: (invocation: Invocation) => void): void {
  const command = prepare(parent.command(spec.path[spec.path.length - 1]!), width, show).description(spec.about);
  for (const argument of spec.arguments) command.argument(argument.name, argument.about);
  for (const option of spec.options) {
    const made = new Option(option.flags, option.about);
    if (option.repeatable) made.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
    command.addOption(made);
  }
  if (spec.examples) command.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  ${line}`).join("\n")}`);
  command.action(() => choose(invocationOf(spec, command)));
}

function invocationOf(spec: CommandSpec, command: Command): Invocation {
  const values = command.opts<Record<string, unknown>>();
  const read = (name: string): unknown => {
    if (!command.options.some((option) => option.attributeName() === name)) throw new Error(`${spec.path.join(" ")} has no option "${name}"`);
    return values[name];
  };
  return {
    command: spec,
    arguments: command.processedArgs.flat() as (string | undefined)[],
    flag: (name) => read(name) === true,
    text: (name) => read(name) as string | undefined,
    list: (name) => (read(name) as string[] | undefined) ?? [],
  };
}
