import type { ModelProtocol } from "@beeuni/protocol";

/**
 * Pi tells how an OpenAI-compatible server differs from OpenAI by the provider's name and address. Here every model's
 * address is the gateway's, so the differences are spelled out, by our provider ids. Pi 1.6.0's own table.
 */
export function compatOf(provider: string, protocol: ModelProtocol): { [setting: string]: unknown } {
  const isOpenAi = provider === "openai";
  if (protocol === "responses") return isOpenAi ? { promptCacheKeyMode: "enabled" } : {};
  if (protocol === "messages") return {};
  return isOpenAi ? OPENAI : { ...PLAIN, ...DIFFERENCES[provider] };
}

const OPENAI = { supportsStore: true, supportsDeveloperRole: true, maxTokensField: "max_completion_tokens", promptCacheKeyMode: "enabled" };

/** What every compatible server takes, local ones too. */
const PLAIN = { supportsStore: false, supportsDeveloperRole: false, maxTokensField: "max_tokens" };

const DIFFERENCES: { [provider: string]: { [setting: string]: unknown } } = {
  "ant-ling": { thinkingFormat: "ant-ling", supportsReasoningEffort: false },
  deepseek: { thinkingFormat: "deepseek", requiresReasoningContentOnAssistantMessages: true },
  moonshotai: { supportsReasoningEffort: false },
  nvidia: { supportsReasoningEffort: false },
  openrouter: { thinkingFormat: "openrouter" },
  together: { thinkingFormat: "together", supportsReasoningEffort: false },
  xai: { supportsReasoningEffort: false },
  zai: { thinkingFormat: "zai", supportsReasoningEffort: false },
};
