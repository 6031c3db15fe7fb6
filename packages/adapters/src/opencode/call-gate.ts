import { randomUUID } from "node:crypto";
import { BeeuniError, type AgentSet } from "@beeuni/protocol";
import { deniedMessage, type HarnessEvent, type HostPort, mayUseTool, type ToolCallRef } from "@beeuni/harness";
import { agentOf, nativeAgent } from "./names.ts";
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
  /** The agent that leads the running turn, as the project calls it; null when none of ours runs. */
  lead: () => string | null;
  /** The running turn was told to stop. */
  isStopping: () => boolean;
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
    if (translator === null || lane === undefined || this.#agentOf(lane) === null) return { allow: false, message: NO_TURN };
    await seen(lane, call);
    const asked = askedCall(tool, input);
    const ref = this.refOf(session, call, asked.tool, asked.input);
    if (ref === null) return { allow: false, message: NO_TURN };
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
    if (agents().hostTools.some(({ name }) => name === tool)) this.#admitted.set(`${session}/${call}`, ref);
    emit(translator.allowed(session, call));
    return { allow: true };
  }

  /**
   * Runs a host tool. A call that the plugin announced was decided already; any other is decided here, for the agent that
   * works in the session, whatever the request says.
   */
  async runTool(name: string, { args, agent, session, call }: ToolRequest, signal: AbortSignal): Promise<{ output: string; metadata: object }> {
    const { host, agents } = this.#ports;
    if (!agents().hostTools.some((tool) => tool.name === name)) throw new BeeuniError("not_found", `no tool named ${name} is loaded`);
    const key = `${session ?? ""}/${call ?? ""}`;
    const admitted = this.#admitted.get(key);
    this.#admitted.delete(key);
    if (admitted?.tool === name) return await host.runTool({ ...admitted, input: args }, signal);

    const ref = this.refOf(session, call ?? `direct-${randomUUID()}`, name, args);
    const spec = agents().agents.find((known) => known.name === ref?.agent);
    if (ref === null || spec === undefined) throw new BeeuniError("forbidden", NO_TURN);
    if (agent !== undefined && agent !== nativeAgent(spec.name)) throw new BeeuniError("forbidden", `agent ${agent} may not use ${name}`);
    if (!mayUseTool(spec.tools, name)) throw new BeeuniError("forbidden", `agent ${spec.name} may not use ${name}`);
    const answer = await host.authorize(ref);
    if (!answer.allow) throw new BeeuniError("denied", answer.message);
    return await host.runTool(ref, signal);
  }

  /**
   * OpenCode itself asks only about calls that repeat themselves. Anything else that it asks about was decided before, or
   * is refused.
   */
  async permission({ sessionID, permission, tool, metadata }: NativePermission): Promise<{ reply: "once" } | { reply: "reject"; message: string }> {
    const { translator, host } = this.#ports;
    const ref = this.refOf(sessionID, tool?.callID ?? "", permission, metadata);
    if (ref === null) return { reply: "reject", message: NO_TURN };
    if (tool !== undefined && translator()?.lane(sessionID)?.runningCalls.includes(tool.callID) === true) return { reply: "once" };
    if (permission !== "doom_loop") return { reply: "reject", message: deniedMessage(permission) };
    const answer = await host.authorize(ref);
    return answer.allow ? { reply: "once" } : { reply: "reject", message: answer.message };
  }

  /** A call as the host knows it; null when no turn runs there. Without a session the root's is meant. */
  refOf(session: string | undefined, call: string, tool: string, input: { [key: string]: unknown }): ToolCallRef | null {
    const translator = this.#ports.translator();
    const lane = session === undefined ? translator?.root : translator?.lane(session);
    const agent = lane === undefined ? null : this.#agentOf(lane);
    if (lane?.isActive !== true || agent === null) return null;
    return { ...(lane.child === undefined ? {} : { child: lane.child }), agent, tool, callId: lane.callId(call) ?? call, input };
  }

  /**
   * The project's agent of a lane. One of OpenCode's own sub-agents acts with the rights of the agent that leads the turn; a turn
   * that another client began has its own lead.
   */
  #agentOf(lane: Lane): string | null {
    const { lead, agents, isStopping } = this.#ports;
    if (isStopping()) return null;
    const own = agentOf(lane.agent, agents()) ?? null;
    return lane.child === undefined ? lead() ?? own : own ?? lead();
  }

  #stepsOf(lane: Lane): number | null {
    const { agents } = this.#ports;
    const name = agentOf(lane.agent, agents());
    return agents().agents.find((agent) => agent.name === name)?.steps ?? null;
  }
}
