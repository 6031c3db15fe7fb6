import { BeeuniError, type AgentSet } from "@beeuni/protocol";
import { type Authorization, deniedMessage, type HostPort, mayUseTool, type ToolCallRef } from "@beeuni/harness";
import type { HarnessEvent } from "@beeuni/harness";
import { agentOf } from "./names.ts";
import { askedCall } from "./native-permissions.ts";
import type { NativePermission } from "./native-events.ts";
import type { AuthorizeRequest, ToolRequest } from "./plugin.ts";
import type { Lane } from "./lane.ts";
import { UNREADABLE } from "./tool-calls.ts";
import type { Translator } from "./translate.ts";

export interface GatePorts {
  host: HostPort;
  translator: () => Translator | null;
  agents: () => AgentSet;
  /** The agent that leads the running turn, as the project calls it; null between turns, and when the turn was told to stop. */
  lead: () => string | null;
  emit: (events: readonly HarnessEvent[]) => void;
  /** Resolves when the call has been reported, or after a while. */
  seen: (lane: Lane, call: string) => Promise<void>;
  /** The model calls tools in steps that the agent does not have: what runs in this session has to stop. */
  onBeyondSteps: (session: string) => void;
}

const NO_TURN = "No turn is running.";
export const STEPS_OVER = "This agent's tool steps for the turn are used up: no tool was run. Answer in text.";

/** Puts each tool call of OpenCode's to the host, and runs the host's own tools. Nothing is allowed that the host has not allowed. */
export class CallGate {
  readonly #ports: GatePorts;
  /** Host-tool calls that were allowed and not run yet, as `session/call`. */
  readonly #admitted = new Map<string, ToolCallRef>();

  constructor(ports: GatePorts) {
    this.#ports = ports;
  }

  /** Asked by the plugin before a call runs. */
  async authorize({ session, call, tool, input }: AuthorizeRequest): Promise<{ allow: true } | { allow: false; message: string }> {
    if (tool === UNREADABLE) return { allow: true };
    const { translator: current, agents, emit, seen, host, onBeyondSteps } = this.#ports;
    const translator = current();
    const lane = translator?.lane(session);
    const agent = lane === undefined ? null : this.#agentOf(lane);
    if (translator === null || lane === undefined || agent === null) return { allow: false, message: NO_TURN };
    await seen(lane, call);
    const callId = lane.callId(call) ?? call;
    const ref: ToolCallRef = { ...(lane.child === undefined ? {} : { child: lane.child }), agent, callId, ...askedCall(tool, input) };
    const steps = this.#stepsOf(lane);
    if (steps !== null && lane.steps > steps) {
      translator.refused(session, call, { kind: "denied", message: STEPS_OVER });
      onBeyondSteps(session);
      return { allow: false, message: STEPS_OVER };
    }
    const answer = await host.authorize(ref);
    if (!answer.allow) {
      translator.refused(session, call, { kind: answer.kind, message: answer.message });
      return { allow: false, message: answer.message };
    }
    if (agents().hostTools.some(({ name }) => name === tool)) this.#admitted.set(`${session}/${call}`, { ...ref, tool, input });
    emit(translator.allowed(session, call));
    return { allow: true };
  }

  /**
   * Runs a host tool. A call that the plugin announced was decided already; any other is decided here, for the agent that
   * works in the session, whatever the request says.
   */
  async runTool(name: string, { args, agent, session, call }: ToolRequest, signal: AbortSignal): Promise<{ output: string; metadata: object }> {
    const { host, agents, translator, lead } = this.#ports;
    if (!agents().hostTools.some((tool) => tool.name === name)) throw new BeeuniError("not_found", `no tool named ${name} is loaded`);
    const key = `${session ?? ""}/${call ?? ""}`;
    const admitted = this.#admitted.get(key);
    this.#admitted.delete(key);
    if (admitted !== undefined && admitted.tool === name) return await host.runTool({ ...admitted, input: args }, signal);

    const lane = session === undefined ? translator()?.root : translator()?.lane(session);
    const asker = lane === undefined ? null : this.#agentOf(lane);
    const spec = agents().agents.find((known) => known.name === asker);
    if (lane === undefined || asker === null || spec === undefined || lead() === null) throw new BeeuniError("forbidden", NO_TURN);
    if (agent !== undefined && agent !== asker && agentOf(agent, agents()) !== asker) throw new BeeuniError("forbidden", `agent ${agent} may not use ${name}`);
    if (!mayUseTool(spec.tools, name)) throw new BeeuniError("forbidden", `agent ${asker} may not use ${name}`);
    const ref: ToolCallRef = { ...(lane.child === undefined ? {} : { child: lane.child }), agent: asker, tool: name, callId: call ?? `direct-${crypto.randomUUID()}`, input: args };
    const answer: Authorization = await host.authorize(ref);
    if (!answer.allow) throw new BeeuniError("denied", answer.message);
    return await host.runTool(ref, signal);
  }

  /**
   * OpenCode itself asks only about calls that repeat themselves. Anything else that it asks about was decided before, or
   * is refused.
   */
  async permission({ sessionID, permission, tool, metadata }: NativePermission): Promise<{ reply: "once" } | { reply: "reject"; message: string }> {
    const { translator, host } = this.#ports;
    const lane = translator()?.lane(sessionID);
    const agent = lane === undefined ? null : this.#agentOf(lane);
    if (lane === undefined || agent === null) return { reply: "reject", message: NO_TURN };
    if (tool !== undefined && lane.runningCalls.includes(tool.callID)) return { reply: "once" };
    if (permission !== "doom_loop") return { reply: "reject", message: deniedMessage(permission) };
    const answer = await host.authorize({
      ...(lane.child === undefined ? {} : { child: lane.child }), agent, tool: permission, callId: tool === undefined ? "" : lane.callId(tool.callID) ?? tool.callID, input: metadata,
    });
    return answer.allow ? { reply: "once" } : { reply: "reject", message: answer.message };
  }

  /** The project's agent of a lane; one of OpenCode's own sub-agents acts with the rights of the agent that leads the turn. */
  #agentOf(lane: Lane): string | null {
    const { lead, agents } = this.#ports;
    return lane.child === undefined ? lead() ?? agentOf(lane.agent, agents()) ?? null : agentOf(lane.agent, agents()) ?? lead();
  }

  #stepsOf(lane: Lane): number | null {
    const { agents } = this.#ports;
    const name = agentOf(lane.agent, agents());
    return agents().agents.find((agent) => agent.name === name)?.steps ?? null;
  }
}
