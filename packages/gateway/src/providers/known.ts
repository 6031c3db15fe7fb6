import type { ModelProtocol } from "@beeuni/protocol";
import type { ProviderModel } from "../types.ts";

/** A provider that needs nothing but a key in the environment. */
export interface KnownProvider {
  id: string;
  label: string;
  /** Variables that may hold the key, the first one set counts, and the header each key goes into. */
  keys: readonly { variable: string; header: CredentialHeader }[];
  /** Variable that replaces the base URL. */
  baseUrlVariable?: string;
  baseUrl: string;
  protocols: readonly ModelProtocol[];
  models: readonly ProviderModel[];
}

export type CredentialHeader = "authorization" | "x-api-key";

type Effort = "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** `reasoning_effort` is the neutral name; an adapter writes it as its protocol does. */
export function effortVariants(...efforts: readonly Effort[]): ProviderModel["variants"] {
  return Object.fromEntries(efforts.map((effort) => [effort, { reasoning_effort: effort }]));
}

function model(id: string, name: string, contextWindow: number, maxOutput: number, ...efforts: readonly Effort[]): ProviderModel {
  return { id, name, contextWindow, maxOutput, reasoning: efforts.length > 0, images: true, variants: effortVariants(...efforts) };
}

const OPENAI_MODELS = [
  model("gpt-5.6-sol", "GPT-5.6 Sol", 272_000, 128_000, "low", "medium", "high", "xhigh", "max"),
  model("gpt-6.2-sol", "GPT-6.2 Sol", 272_000, 128_000, "low", "medium", "high", "xhigh", "max"),
  model("gpt-6-luna", "GPT-6 Luna", 272_000, 128_000, "low", "medium", "high", "xhigh", "max"),
  model("gpt-5.5", "GPT-5.5", 272_000, 128_000, "low", "medium", "high", "xhigh"),
  model("gpt-5.4-mini", "GPT-5.4 mini", 400_000, 128_000, "low", "medium", "high", "xhigh"),
  model("gpt-5.3-codex", "GPT-5.3 Codex", 400_000, 128_000, "low", "medium", "high", "xhigh"),
  model("gpt-5", "GPT-5", 400_000, 128_000, "minimal", "low", "medium", "high"),
  model("gpt-5-mini", "GPT-5 mini", 400_000, 128_000, "minimal", "low", "medium", "high"),
  model("gpt-4o", "GPT-4o", 128_000, 16_384),
];

const ANTHROPIC_MODELS = [
  model("claude-sonnet-5", "Claude Sonnet 5", 1_000_000, 128_000, "low", "medium", "high", "xhigh", "max"),
  model("claude-opus-5-5", "Claude Opus 5.5", 1_000_000, 128_000, "low", "medium", "high", "xhigh", "max"),
  model("claude-sonnet-5-5", "Claude Sonnet 5.5", 1_000_000, 128_000, "low", "medium", "high", "xhigh", "max"),
  model("claude-haiku-5-5", "Claude Haiku 5.5", 1_000_000, 128_000, "low", "medium", "high", "xhigh", "max"),
  model("claude-opus-4-6", "Claude Opus 4.6", 1_000_000, 128_000, "low", "medium", "high", "max"),
  model("claude-sonnet-4-6", "Claude Sonnet 4.6", 1_000_000, 128_000, "low", "medium", "high", "max"),
  model("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000, "low", "medium", "high"),
];

/** An OpenAI-compatible provider with one key; its models come and go, so none is listed. */
function compatible(id: string, label: string, variable: string, baseUrl: string): KnownProvider {
  return { id, label, keys: [{ variable, header: "authorization" }], baseUrl, protocols: ["chat-completions"], models: [] };
}

export const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  {
    id: "anthropic", label: "Anthropic", protocols: ["messages"], models: ANTHROPIC_MODELS,
    baseUrl: "https://api.anthropic.com/v1", baseUrlVariable: "ANTHROPIC_BASE_URL",
    keys: [{ variable: "ANTHROPIC_API_KEY", header: "x-api-key" }, { variable: "ANTHROPIC_AUTH_TOKEN", header: "authorization" }],
  },
  {
    id: "openai", label: "OpenAI", protocols: ["chat-completions", "responses"], models: OPENAI_MODELS,
    baseUrl: "https://api.openai.com/v1", baseUrlVariable: "OPENAI_BASE_URL",
    keys: [{ variable: "OPENAI_API_KEY", header: "authorization" }],
  },
  compatible("openrouter", "OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
  compatible("google", "Google", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai"),
  compatible("deepseek", "DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
  compatible("xai", "xAI", "XAI_API_KEY", "https://api.x.ai/v1"),
  compatible("mistral", "Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
  compatible("groq", "Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
  compatible("cerebras", "Cerebras", "CEREBRAS_API_KEY", "https://api.cerebras.ai/v1"),
  compatible("together", "Together", "TOGETHER_API_KEY", "https://api.together.ai/v1"),
  compatible("fireworks", "Fireworks", "FIREWORKS_API_KEY", "https://api.fireworks.ai/inference/v1"),
];
