import { LOCAL_SERVERS, type Provider } from "@beeuni/gateway";
import { BeeuniError, parseModelRef } from "@beeuni/protocol";

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

/** The named model belongs to a model server of this machine that does not answer; undefined when it does not. */
export function localServerAway(named: string | undefined, providers: readonly Provider[]): BeeuniError | undefined {
  const provider = named === undefined ? undefined : parseModelRef(named)?.provider;
  const server = LOCAL_SERVERS.find(({ id }) => id === provider);
  if (server === undefined || providers.some(({ id }) => id === server.id)) return undefined;
  return new BeeuniError("model_not_found", `${named} is served by ${server.label}, which does not answer on 127.0.0.1:${server.port}`, { hint: `start ${server.label}, or go on with another --model` });
}

/** The text as one word of a POSIX shell; a long or many-lined prompt is left to its author. */
export function shellWord(text: string): string {
  if (text.length > 120 || text.includes("\n")) return "'…'";
  if (!/["$`\\!]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
