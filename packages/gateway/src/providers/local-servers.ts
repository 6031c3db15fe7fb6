import { z } from "zod";
import type { Provider } from "../types.ts";

/** Model servers that people run on their own machine, by the port that each listens on out of the box. */
export const LOCAL_SERVERS = [
  { id: "ollama", label: "Ollama", port: 11434 },
  { id: "lmstudio", label: "LM Studio", port: 1234 },
  { id: "llamacpp", label: "llama.cpp", port: 8080 },
  { id: "vllm", label: "vLLM", port: 8000 },
] as const;

/** Loopback answers in a millisecond; a server that loads a model may take a while for its list. */
const TIMEOUT_MS = 500;

const ModelList = z.looseObject({ data: z.array(z.looseObject({ id: z.string().min(1), max_model_len: z.number().int().positive().optional() })).min(1) });

export interface LocalServerOptions {
  signal?: AbortSignal;
  servers?: readonly { id: string; label: string; port: number }[];
  /** Milliseconds that all of them together have to answer; 500. */
  timeoutMs?: number;
}

/** The model servers that answer on loopback, with the models they offer. Never throws; a server that does not answer is none. */
export async function findLocalServers(options: LocalServerOptions = {}): Promise<Provider[]> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  const found = await Promise.all((options.servers ?? LOCAL_SERVERS).map((server) => probe(server, signal)));
  return found.filter((provider) => provider !== undefined);
}

async function probe({ id, label, port }: { id: string; label: string; port: number }, signal: AbortSignal): Promise<Provider | undefined> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  try {
    const response = await fetch(`${baseUrl}/models`, { signal, redirect: "error" });
    // Other programs use these ports too: only a list of models counts.
    const list = ModelList.parse(await response.json());
    const models = list.data.filter(({ id: model }) => !/embed/i.test(model)).map(({ id: model, max_model_len }) => ({
      id: model, name: model, contextWindow: max_model_len ?? 32_768, maxOutput: Math.min(16_384, max_model_len ?? 16_384), reasoning: false, images: false, variants: {},
    }));
    if (!response.ok || models.length === 0) return undefined;
    return { id, label, baseUrl, protocols: ["chat-completions"], models, closed: true, origin: `found on 127.0.0.1:${port}` };
  } catch {
    return undefined;
  }
}
