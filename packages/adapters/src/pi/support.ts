import type { SupportTable } from "@beeuni/protocol";

export const support: SupportTable = {
  stream: { level: "exact" },
  abort: { level: "exact" },
  resume: { level: "exact" },
  ask: { level: "exact" },
  deny: { level: "exact" },
  hostTools: { level: "exact" },
  history: { level: "approx", reason: "texts and tool calls are carried over; reasoning and images are not" },
  sampling: { level: "exact" },
  steps: { level: "exact" },
  subagents: { level: "none", reason: "Pi has no sub-agents of its own" },
  wire: { level: "exact" },
};
