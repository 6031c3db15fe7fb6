/**
 * Every command of `beeuni`, as data and without an import: the parser, the help, the completion scripts, the near
 * names of a typing error and the documentation are all made from this one table. The code of a command stands in
 * `commands/<path>.ts` and is loaded only when it runs.
 */

/** What the shell offers for a value. A list is the values themselves. */
export type Offer = "session" | "file" | "folder" | readonly string[];

export interface ArgumentSpec {
  /** `<name>` is required, `[name]` is not. */
  name: string;
  about: string;
  offer?: Offer;
}

export interface OptionSpec {
  /** As the help shows it, e.g. `-r, --resume <session>`. */
  flags: string;
  about: string;
  /** May stand several times. */
  repeatable?: true;
  offer?: Offer;
}

export interface CommandSpec {
  /** The words after `beeuni`. */
  path: readonly [string] | readonly [string, string];
  about: string;
  arguments: readonly ArgumentSpec[];
  options: readonly OptionSpec[];
  /** Lines of the help under "Examples". */
  examples?: readonly string[];
}

const JSON_OPTION: OptionSpec = { flags: "--json", about: "print one JSON value and nothing else on stdout" };
const DIR: OptionSpec = { flags: "--dir <folder>", about: "the project's folder (default: this one)", offer: "folder" };
const SESSION = { name: "<session>", about: "a session's id, or its beginning", offer: "session" } as const;
const MODEL: OptionSpec = { flags: "-m, --model <provider/model>", about: "the model, e.g. faux/demo" };
const HARNESS: OptionSpec = { flags: "--harness <id>", about: "this harness and no other (see: beeuni harness ls)" };
const AGENT: OptionSpec = { flags: "--agent <name>", about: "the agent of the project that runs the turn" };

/** What stands under each noun, for the help. */
export const NOUNS: Readonly<Record<string, string>> = {
  session: "conversations with their workspace",
  permission: "tool calls that ask before they run",
  question: "questions of an agent to a person",
  call: "model requests, byte for byte",
  harness: "the programs that run an agent's loop",
  flag: "feature flags of the project",
};

export const COMMANDS: readonly CommandSpec[] = [
  {
    path: ["run"],
    about: "run one prompt, print the answer and how to go on",
    arguments: [{ name: "[prompt]", about: "what to do; or -f FILE, or stdin" }],
    options: [
      MODEL, AGENT, HARNESS, DIR,
      { flags: "-r, --resume <session>", about: "continue this session (id or its beginning)", offer: "session" },
      { flags: "-f, --file <file>", about: "read the prompt from a file (- is stdin)", offer: "file" },
      { flags: "--title <text>", about: "title of a new session" },
      { flags: "--allow <permission:pattern>", about: "let calls run that would ask, e.g. 'bash:git *'", repeatable: true },
      { flags: "--yes", about: "let every call run that would ask" },
      { flags: "-q, --quiet", about: "print only the answer" },
      { flags: "-o, --output <file>", about: "write the answer to a file as well", offer: "file" },
      JSON_OPTION,
      { flags: "--jsonl", about: "print the session's events, one JSON value a line" },
    ],
    examples: [
      'beeuni run --model faux/demo "What is in this folder?"',
      'beeuni run -r ses_0f3a "And the tests?"',
      "git diff | beeuni run -f - -q -o review.md --agent reviewer",
    ],
  },
  {
    path: ["serve"],
    about: "serve the project's sessions over HTTP until stopped",
    arguments: [],
    options: [
      { flags: "--port <number>", about: "port on 127.0.0.1 (default: a free one)" },
      MODEL, DIR, JSON_OPTION,
    ],
  },
  {
    path: ["session", "ls"],
    about: "list the project's sessions, newest first",
    arguments: [],
    options: [{ flags: "-a, --all", about: "sessions of every folder" }, DIR, JSON_OPTION],
  },
  { path: ["session", "show"], about: "show a session: harness, model, turns, what it waits for", arguments: [SESSION], options: [JSON_OPTION] },
  { path: ["session", "messages"], about: "print the conversation", arguments: [SESSION], options: [JSON_OPTION] },
  { path: ["session", "abort"], about: "stop the running turn (needs beeuni serve)", arguments: [SESSION], options: [JSON_OPTION] },
  { path: ["session", "rm"], about: "delete a session with its trace", arguments: [SESSION], options: [JSON_OPTION] },
  {
    path: ["permission", "ls"],
    about: "list the tool calls that wait for an answer",
    arguments: [{ ...SESSION, name: "[session]" }],
    options: [DIR, JSON_OPTION],
  },
  {
    path: ["permission", "reply"],
    about: "answer one (needs beeuni serve)",
    arguments: [
      { name: "<permission>", about: "the request's id, or its beginning" },
      { name: "<reply>", about: "once, always or reject", offer: ["once", "always", "reject"] },
    ],
    options: [
      { flags: "--message <text>", about: "what the model is told with a rejection" },
      { flags: "--pattern <pattern>", about: "what `always` stores, in place of the pattern shown", repeatable: true },
      DIR, JSON_OPTION,
    ],
  },
  {
    path: ["question", "ls"],
    about: "list the questions that wait for an answer",
    arguments: [{ ...SESSION, name: "[session]" }],
    options: [DIR, JSON_OPTION],
  },
  {
    path: ["question", "reply"],
    about: "answer them (needs beeuni serve)",
    arguments: [{ name: "<question>", about: "the request's id, or its beginning" }],
    options: [
      { flags: "--answer <text>", about: "one for each question, in order; several choices: a,b", repeatable: true },
      DIR, JSON_OPTION,
    ],
  },
  {
    path: ["question", "reject"],
    about: "refuse to answer (needs beeuni serve)",
    arguments: [{ name: "<question>", about: "the request's id, or its beginning" }],
    options: [DIR, JSON_OPTION],
  },
  {
    path: ["call", "ls"],
    about: "list model calls with their messages, usage and times",
    arguments: [{ ...SESSION, name: "[session]", about: "a session's id (default: the project's newest)" }],
    options: [DIR, JSON_OPTION],
  },
  {
    path: ["call", "show"],
    about: "show the model call behind an answer, down to its bytes",
    arguments: [{ name: "<id>", about: "a call (cal_…), message (msg_…) or part (prt_…)" }],
    options: [
      { flags: "--request", about: "only the request" },
      { flags: "--response", about: "only the response" },
      { flags: "--raw", about: "the exact body bytes, with --request or --response" },
      JSON_OPTION,
    ],
  },
  {
    path: ["call", "diff"],
    about: "what changed since the request before it in the session",
    arguments: [{ name: "<id>", about: "a call (cal_…), message (msg_…) or part (prt_…)" }],
    options: [JSON_OPTION],
  },
  { path: ["harness", "ls"], about: "list harnesses, their versions and what is installed", arguments: [], options: [JSON_OPTION] },
  {
    path: ["harness", "show"],
    about: "show one: capabilities, support table, toolchain",
    arguments: [{ name: "<harness>", about: "a harness's id" }],
    options: [JSON_OPTION],
  },
  {
    path: ["harness", "install"],
    about: "install a harness's pinned packages",
    arguments: [{ name: "[harness]", about: "a harness's id" }],
    options: [{ flags: "--all", about: "every harness" }, JSON_OPTION],
  },
  {
    path: ["harness", "explain"],
    about: "which harness this project gets, and why",
    arguments: [],
    options: [HARNESS, DIR, JSON_OPTION],
  },
  { path: ["flag", "ls"], about: "list the flags and their values", arguments: [], options: [DIR, JSON_OPTION] },
  {
    path: ["flag", "set"],
    about: "switch a flag",
    arguments: [
      { name: "<flag>", about: "its name", offer: ["llm_gateway", "pi_harness"] },
      { name: "<value>", about: "on, off or default", offer: ["on", "off", "default"] },
    ],
    options: [DIR, JSON_OPTION],
  },
  { path: ["validate"], about: "check the project's files, all problems at once", arguments: [], options: [DIR, JSON_OPTION] },
  { path: ["doctor"], about: "check the machine and the project, with a fix for each problem", arguments: [], options: [DIR, JSON_OPTION] },
  {
    path: ["completion"],
    about: "print the completion script of a shell",
    arguments: [{ name: "<shell>", about: "bash, zsh or fish", offer: ["bash", "zsh", "fish"] }],
    options: [],
    examples: ["source <(beeuni completion bash)"],
  },
  {
    path: ["help"],
    about: "help on a command, or: help exit-codes",
    arguments: [{ name: "[topic...]", about: "a command, or exit-codes" }],
    options: [],
  },
];
