import type { QuestionItem } from "@beeuni/protocol";

/** How to make the harness under test do something, by its prompt alone. */
export interface PromptDialect {
  /** The model answers this text. */
  say(text: string): string;
  /** The model answers this text and then does not end; with a model server the wire is held instead. */
  sayOpen(text: string): string;
  /** One shell call a model step, then the text. */
  shell(commands: readonly string[], then: string): string;
  /** One call of this tool, then the text. */
  tool(name: string, input: { [key: string]: unknown }, then: string): string;
  ask(questions: readonly QuestionItem[], then: string): string;
  /** Words that the harness must keep in mind and that have no other effect. */
  remark(words: string): string;
  /** The conversation so far appears: in the answer, or in the model request. */
  recall(): string;
  /** A sub-agent runs the command and says the text; missing where the harness has none. */
  subagent?(command: string, text: string): string;
}

/** For the scripted harness. */
export const SCRIPT: PromptDialect = {
  say: (text) => `say ${text}`,
  sayOpen: (text) => `say ${text}\nhang`,
  shell: (commands, then) => [...commands.map((command) => `run ${command}`), `say ${then}`].join("\n"),
  tool: (name, input, then) => `tool ${name} ${JSON.stringify(input)}\nsay ${then}`,
  ask: (questions, then) => `tool question ${JSON.stringify({ questions })}\nsay ${then}`,
  remark: (words) => `# ${words}`,
  recall: () => "recall",
  subagent: (command, text) => `@helper run ${command}\n@helper say ${text}\n@helper done\nsay done`,
};

/** For a real harness whose model is the built-in demo model: directives, one a model request. */
export const DIRECTIVES: PromptDialect = {
  say: (text) => `[[text: ${text}]]`,
  sayOpen: (text) => `[[text: ${text}]]`,
  shell: (commands, then) => [...commands.map((command) => `[[shell: ${command}]]`), `[[text: ${then}]]`].join(" "),
  tool: (name, input, then) => `[[tool ${name} ${JSON.stringify(input)}]] [[text: ${then}]]`,
  ask: (questions, then) => `[[tool question ${JSON.stringify({ questions })}]] [[text: ${then}]]`,
  remark: (words) => words,
  recall: () => "[[text: ok]]",
};
