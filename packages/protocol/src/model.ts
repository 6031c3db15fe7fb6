import { z } from "zod";
import type { Json } from "./json.ts";

/** A model by provider and id. `faux/demo` is `{provider: "faux", id: "demo"}`. */
export const ModelRef = z.object({ provider: z.string(), id: z.string(), variant: z.string().optional() });
export type ModelRef = z.infer<typeof ModelRef>;

/** Reads `provider/model` (the model's id may hold more slashes). Undefined when there is no provider or no id. */
export function parseModelRef(text: string): ModelRef | undefined {
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1) return undefined;
  return { provider: text.slice(0, slash), id: text.slice(slash + 1) };
}

export function formatModelRef(model: ModelRef): string {
  return `${model.provider}/${model.id}`;
}

/** Tokens of one call or the sum of several. `input` excludes the cached tokens, `output` includes the reasoning. Unknown usage is `null`, never zeros. */
export const Usage = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
export type Usage = z.infer<typeof Usage>;

/** The sum; null as soon as one part is unknown. */
export function addUsage(a: Usage | null, b: Usage | null): Usage | null {
  if (a === null || b === null) return null;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** The wire protocols that a model can be called with. */
export const MODEL_PROTOCOLS = ["chat-completions", "responses", "messages"] as const;
export type ModelProtocol = (typeof MODEL_PROTOCOLS)[number];

/** Where the session's model calls go: the gateway's root for this principal. Adapters append their protocol's prefix. */
export interface ModelEndpoint {
  /** `http://127.0.0.1:<port>/s/<token>`, no slash at the end. The token is worth nothing elsewhere. */
  root: string;
  models: EndpointModel[];
}
export interface EndpointModel {
  ref: ModelRef;
  /** The id to put in the request's `model` field. */
  wireId: string;
  name: string;
  protocols: readonly ModelProtocol[];
  contextWindow: number;
  maxOutput: number;
  reasoning: boolean;
  images: boolean;
  /** Variant name → reasoning effort or provider settings. */
  variants: { [name: string]: { [key: string]: Json } };
}
