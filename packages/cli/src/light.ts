import { EXIT_CODES } from "@beeuni/protocol/errors";
import { completionScript, SHELLS } from "./completion.ts";

/**
 * Answers that need nothing but the command table: they come before the parser, the schemas and everything else is
 * loaded. Undefined when the words ask for more (or are wrong: then the parser says so).
 */
export function lightAnswer(words: readonly string[]): string | undefined {
  const [first, second] = words;
  if (words.length !== 2) return undefined;
  if (first === "help" && second === "exit-codes") return exitCodes();
  const shell = first === "completion" ? SHELLS.find((name) => name === second) : undefined;
  return shell === undefined ? undefined : completionScript(shell);
}

function exitCodes(): string {
  return EXIT_CODES.map(({ code, meaning }) => `${String(code).padStart(3)}  ${meaning}\n`).join("");
}
