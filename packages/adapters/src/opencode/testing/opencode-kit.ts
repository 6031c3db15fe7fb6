import { createFauxServer } from "@beeuni/gateway/faux";
import { type Authorization, decidePermission, type SessionSpec, type ToolCallRef } from "@beeuni/harness";
import { DIRECTIVES, Kit, toolchainFolder, type ModelServer, type PromptDialect } from "@beeuni/conformance";
import { dialect } from "../dialect.ts";
import { createOpenCode } from "../index.ts";
import type { OpenCodeOptions } from "../options.ts";

/** A call of the `task` tool whose sub-agent does what `prompt` says. */
export function task(prompt: string, agent = "helper"): string {
  return `[[tool task ${JSON.stringify({ description: "help", prompt, subagent_type: agent })}]]`;
}

export const PROMPTS: PromptDialect = { ...DIRECTIVES, subagent: (command, text) => `${task(`[[shell: ${command}]] [[text: ${text}]]`)} [[text: done]]` };

export async function fauxModel(): Promise<ModelServer> {
  const server = await createFauxServer();
  return { url: server.url.replace(/\/v1$/, ""), close: () => server.close() };
}

/** The conformance kit with the real OpenCode and the demo model behind a recorded wire. A start takes some seconds. */
export async function openCodeKit(options: Partial<OpenCodeOptions> = {}): Promise<Kit> {
  const harness = createOpenCode(options);
  return await Kit.start({ harness, prompts: PROMPTS, toolchainDir: toolchainFolder(harness), model: fauxModel, patience: 90_000 });
}

export interface WireRequest {
  messages: { role: string; content: string | { text?: string }[] | null; tool_calls?: { id: string }[]; tool_call_id?: string }[];
  tools?: { function: { name: string; description: string; parameters: object } }[];
  [field: string]: unknown;
}

export function requests(kit: Kit): WireRequest[] {
  return kit.wire.exchanges.map(({ body }) => JSON.parse(body) as WireRequest);
}

export function systemOf(request: WireRequest | undefined): string {
  return (request?.messages ?? []).filter(({ role }) => role === "system").map(({ content }) => (typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join(""))).join("\n");
}

export function toolNames(request: WireRequest | undefined): string[] {
  return (request?.tools ?? []).map((tool) => tool.function.name).sort();
}

/** A host that decides by the agents' rules, as the daemon does; `ask` is answered by `person`. */
export function byRules(spec: () => Pick<SessionSpec, "agents" | "workspace">, person: (call: ToolCallRef) => Authorization): (call: ToolCallRef) => Authorization {
  return (call) => {
    const { agents, workspace } = spec();
    const agent = agents.agents.find(({ name }) => name === call.agent);
    if (agent === undefined) throw new Error(`no agent ${call.agent}`);
    const decision = decidePermission({ dialect, agent, workspace }, call);
    if (decision.action === "ask") return person(call);
    return decision.action === "allow" ? { allow: true } : { allow: false, kind: "denied", message: decision.message };
  };
}
