// zod: a file that people write is checked at the border, all problems at once.
import { z } from "zod";
import { MODEL_PROTOCOLS, type ModelProtocol } from "@beeuni/protocol";

/** Names of the protocols as configuration files of other tools spell them, beside our own. */
export const PROTOCOL_NAMES: { readonly [name: string]: ModelProtocol } = {
  ...Object.fromEntries(MODEL_PROTOCOLS.map((protocol) => [protocol, protocol])),
  "openai-completions": "chat-completions",
  "openai-responses": "responses",
  "anthropic-messages": "messages",
};
const Protocol = z.enum(Object.keys(PROTOCOL_NAMES) as [string, ...string[]]);

export const ModelConfig = z.looseObject({
  id: z.string().min(1),
  name: z.string().optional(),
  contextWindow: z.number().int().positive().optional(),
  maxTokens: z.number().int().positive().optional(),
  reasoning: z.boolean().optional(),
  input: z.array(z.enum(["text", "image"])).optional(),
  variants: z.record(z.string(), z.record(z.string(), z.json())).optional(),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

const EnvironmentKey = z.strictObject({ source: z.literal("env"), id: z.string().min(1) });

/** One entry of `models.providers`. */
export const ProviderConfig = z.looseObject({
  label: z.string().optional(),
  baseUrl: z.string().optional(),
  /** `$NAME` or `${NAME}` for a variable, `{source: "env", id: "NAME"}` for the same, else the key itself. */
  apiKey: z.union([z.string(), EnvironmentKey], { error: 'must be a string or {source: "env", id: "NAME"}' }).optional(),
  /** The key goes into `Authorization: Bearer` also where the protocol's own header is another. */
  authHeader: z.boolean().optional(),
  api: Protocol.optional(),
  protocols: z.array(Protocol).min(1).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  models: z.array(z.union([z.string().min(1), ModelConfig], { error: "must be a model's id or an object with one" })).optional(),
});
export type ProviderConfig = z.infer<typeof ProviderConfig>;

/** Keys that other parts of the host, or other tools that read this file, know. */
export const FOREIGN_PROVIDER_KEYS = ["agentRuntime", "auth", "compat", "request", "region", "timeoutSeconds"];
export const FOREIGN_MODEL_KEYS = ["agentRuntime", "api", "compat", "contextTokens", "cost", "headers", "params"];
