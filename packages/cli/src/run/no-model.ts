import { BeeuniError } from "@beeuni/protocol/errors";
import type { Provider } from "@beeuni/gateway";

/** Nothing names a model and none can be found: the commands that would work, to be copied. */
export function noModel(command: string, prompt: string | undefined, providers: readonly Provider[]): BeeuniError {
  const rest = prompt === undefined ? "" : ` ${shellWord(prompt)}`;
  const keyed = providers.map(({ id }) => `beeuni ${command} --model ${id}/MODEL${rest}   (its key is set; it lists no models by itself)`);
  const ways = [
    `beeuni ${command} --model faux/demo${rest}   (a scripted model: no key, no network)`,
    ...keyed,
    `ANTHROPIC_API_KEY=… beeuni ${command}${rest}`,
    `OPENAI_API_KEY=… beeuni ${command}${rest}`,
    `ollama serve & beeuni ${command}${rest}   (or LM Studio, llama.cpp, vLLM on this machine)`,
  ];
  const why = providers.length === 0 ? "no key is configured, and no model server answers on this machine" : "the configured providers list none by themselves";
  return new BeeuniError("no_model", `no model is chosen: ${why}`, { hint: `each of these works:\n${ways.map((line) => `  ${line}`).join("\n")}` });
}

/** The text as one word of a POSIX shell; a long or many-lined prompt is left to its author. */
export function shellWord(text: string): string {
  if (text.length > 120 || text.includes("\n")) return "'…'";
  if (!/["$`\\!]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
