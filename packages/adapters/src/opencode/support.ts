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
  subagents: { level: "exact" },
  wire: { level: "approx", reason: "OpenCode keeps no response ids: a message's call is found by its tool calls, else by turn and text" },
};
