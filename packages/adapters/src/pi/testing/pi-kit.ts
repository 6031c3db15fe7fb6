import type { EndpointModel, ModelEndpoint } from "@beeuni/protocol";
import type { Authorization, SessionSpec, ToolCallRef } from "@beeuni/harness";
import { decidePermission } from "@beeuni/harness";
import { agentSet, DEMO, DIRECTIVES, Kit, toolchainFolder, type Opened } from "@beeuni/conformance";
import { createFauxServer } from "@beeuni/gateway/faux";
import { createPi } from "../index.ts";

/** A chat message of a model request. */
export interface WireMessage {
  role: string;
  content: string | { type: string; text?: string; [field: string]: unknown }[] | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}
export interface WireRequest {
  model: string;
  messages: WireMessage[];
  tools?: { function: { name: string; description: string; parameters: object } }[];
  [field: string]: unknown;
}

/** The conformance kit with Pi and the demo model behind a recorded wire; retries come at once. */
export class PiKit implements AsyncDisposable {
  readonly kit: Kit;

  private constructor(kit: Kit) {
    this.kit = kit;
  }

  static async start(model = fauxModel): Promise<PiKit> {
    const harness = createPi({ retries: 2, retryDelayMs: 20 });
    return new PiKit(await Kit.start({ harness, prompts: DIRECTIVES, toolchainDir: toolchainFolder(harness), model }));
  }

  open(patch: Partial<SessionSpec> = {}, behaviour: Parameters<Kit["open"]>[1] = {}): Promise<Opened> {
    return this.kit.open(patch, behaviour);
  }

  get workspace(): string {
    return this.kit.folders.workspace;
  }

  /** Every model request so far. */
  get requests(): WireRequest[] {
    return this.kit.wire.exchanges.map(({ body }) => JSON.parse(body) as WireRequest);
  }

  get lastRequest(): WireRequest {
    return this.requests.at(-1) ?? failNoRequest();
  }

  /** The endpoint with these models instead of the demo one. */
  endpoint(...models: Partial<EndpointModel>[]): ModelEndpoint {
    const { root, models: [demo] } = this.kit.endpoint;
    return { root, models: models.map((model) => ({ ...demo!, ...model })) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kit.dispose();
  }
}

function failNoRequest(): never {
  throw new Error("no model request was made");
}

async function fauxModel(): Promise<{ url: string; close(): Promise<void> }> {
  const server = await createFauxServer();
  return { url: server.url.replace(/\/v1$/, ""), close: () => server.close() };
}

export { agentSet, DEMO };

export function systemOf(request: WireRequest): string {
  const systems = request.messages.filter(({ role }) => role === "system" || role === "developer");
  if (systems.length !== 1 || request.messages[0] !== systems[0]) throw new Error(`the request has ${systems.length} system messages`);
  return textOf(systems[0]!);
}

export function textOf({ content }: WireMessage): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");
}

export function toolNames(request: WireRequest): string[] {
  return (request.tools ?? []).map((tool) => tool.function.name);
}

/** What makes a request invalid for a provider that checks: calls without a result, results without a call, ids used twice. */
export function requestProblems({ messages }: WireRequest): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const id = message.tool_call_id ?? "";
      if (!open.includes(id)) problems.push(`a result for ${id}, which was not called`);
      open = open.filter((call) => call !== id);
      continue;
    }
    if (open.length > 0) problems.push(`no result for ${open.join(", ")}`);
    open = (message.tool_calls ?? []).map(({ id }) => id);
    for (const id of open) {
      if (seen.has(id)) problems.push(`the id ${id} is used twice`);
      seen.add(id);
    }
  }
  return open.length > 0 ? [...problems, `no result for ${open.join(", ")}`] : problems;
}

/** A host that decides by the agents' rules, as the daemon does; `ask` is answered by `person`. */
export function byRules(spec: Pick<SessionSpec, "agents" | "workspace">, person: (call: ToolCallRef) => Authorization | Promise<Authorization>): (call: ToolCallRef) => Promise<Authorization> {
  const { dialect } = createPi();
  return async (call) => {
    const agent = spec.agents.agents.find(({ name }) => name === call.agent);
    if (agent === undefined) throw new Error(`no agent ${call.agent}`);
    const decision = decidePermission({ dialect, agent, workspace: spec.workspace }, call);
    if (decision.action === "ask") return person(call);
    return decision.action === "allow" ? { allow: true } : { allow: false, kind: "denied", message: decision.message };
  };
}
