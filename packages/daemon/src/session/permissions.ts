import { BeeuniError, newId, type PermissionReply, type PermissionReplyBody, type PermissionRequest } from "@beeuni/protocol";
import { type Authorization, decidePermission, type Grant, type PermissionPolicy, rejectedMessage, type ToolCallRef } from "@beeuni/harness";
import type { ToolPart } from "@beeuni/transcript";
import type { ActiveTurn } from "./active-turn.ts";
import type { Checkpoint } from "./checkpoints.ts";
import type { Journal } from "./journal.ts";

/** What a person allowed on the command line: `--allow 'bash: git *'`, and `--yes` for everything that asks. */
export interface AllowFlags {
  rules: readonly { permission: string; pattern: string }[];
  everything: boolean;
}

export interface PermissionPorts {
  journal: Journal;
  checkpoint: Checkpoint;
  /** Undefined for an agent that the session does not have. */
  policyOf: (agent: string) => PermissionPolicy | undefined;
  partOf: (callId: string) => ToolPart | undefined;
  /** Permission keys of a call whose tool has keys of its own; undefined: the dialect's. */
  keysOf: (call: ToolCallRef) => readonly string[] | undefined;
  flags: AllowFlags;
  /** Nobody can be asked: what asks is refused. */
  headless: boolean;
}

type Replied = { allow: true } | { allow: false; kind: "rejected" | "aborted"; message: string };
type Decision = ReturnType<typeof decidePermission>;

const STOPPED: Authorization & { allow: false } = { allow: false, kind: "aborted", message: "The call was stopped before it ran." };

/**
 * Decides every tool call of the session: tool access and rules of the agent, then stored grants, then the flags of this
 * start, then a person. Only an `ask` can be answered by a grant or a flag, so a deny always stands. Requests and replies
 * are in the log before anybody acts on them.
 */
export class Permissions {
  readonly #ports: PermissionPorts;
  readonly #waiting = new Map<string, { call: ToolCallRef; decide: (replied: Replied) => void }>();

  constructor(ports: PermissionPorts) {
    this.#ports = ports;
  }

  /** Resolves when it is decided and what led to it is on the disk. */
  async authorize(call: ToolCallRef, turn: ActiveTurn | undefined): Promise<Authorization> {
    if (turn === undefined) return { allow: false, kind: "aborted", message: "No turn is running." };
    if (turn.stop.signal.aborted) return STOPPED;
    const answer = await this.#answer(call, turn);
    // The call runs only when the log can tell, after a crash, that it may have.
    await this.#ports.journal.flushed();
    return turn.stop.signal.aborted ? STOPPED : answer;
  }

  /** Answers an open request. Throws `not_found`. Resolves when the answer is on the disk. */
  async reply(id: string, body: PermissionReplyBody): Promise<void> {
    const { journal, checkpoint } = this.#ports;
    const request = journal.state.permissions.find((open) => open.id === id);
    if (request === undefined) {
      throw new BeeuniError("not_found", `there is no open permission request ${id}: it was answered, or its turn ended`);
    }
    if (body.always !== undefined && body.reply !== "always") {
      throw new BeeuniError("invalid_request", "`always` goes with the reply \"always\" only");
    }
    const always = body.reply === "always" ? (body.always ?? request.always) : [];
    this.#log(request, body.reply, always, "client", body.message);
    await journal.flushed();
    checkpoint("permission-answered");
    this.#settle(id, body.reply, body.message);
    if (body.reply === "always") await this.#settleCovered();
  }

  /** Rejects every open request of the given turn (of all turns when left out), because it is stopped. */
  rejectAll(turn?: string): void {
    for (const request of [...this.#ports.journal.state.permissions]) {
      if (turn !== undefined && request.turn !== turn) continue;
      this.#log(request, "reject", [], "abort");
      this.#settle(request.id, "abort");
    }
  }

  /** The log is gone or the session closes: nobody will be asked any more. */
  dropAll(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, "abort");
  }

  async #answer(call: ToolCallRef, turn: ActiveTurn): Promise<Authorization> {
    const { policyOf, flags, headless } = this.#ports;
    const policy = policyOf(call.agent);
    if (policy === undefined) return { allow: false, kind: "denied", message: `There is no agent "${call.agent}" in this session.` };
    const decision = this.#decide(call, policy, []);
    if (decision.action === "allow") return { allow: true };
    if (decision.action === "deny") return { allow: false, kind: "denied", message: decision.message };

    const allowed = flags.everything
      || this.#decide(call, policy, flags.rules.map((rule) => ({ ...rule, agent: call.agent }))).action === "allow";
    if (!allowed && headless) return { allow: false, kind: "denied", message: headlessMessage(call.tool, decision) };
    const request = this.#ask(call, turn, decision);
    if (allowed) {
      this.#log(request, "once", [], "flag");
      return { allow: true };
    }
    this.#ports.journal.whenFlushed(() => this.#ports.checkpoint("permission-asked"));
    return await new Promise((decide) => this.#waiting.set(request.id, { call, decide }));
  }

  /** The agent's rules and the session's own, the stricter of both; what the session allows answers what asks, as a grant does. */
  #decide(call: ToolCallRef, policy: PermissionPolicy, more: readonly Grant[]): Decision {
    const { keysOf, journal } = this.#ports;
    const { grants, info: { rules = [] } } = journal.state;
    const keys = keysOf(call);
    const asked = { tool: call.tool, input: call.input, ...(keys === undefined ? {} : { keys }) };
    const allowed = rules.filter(({ action }) => action === "allow").map(({ permission, pattern }) => ({ permission, pattern, agent: call.agent }));
    const known = [...grants, ...allowed, ...more];
    const decision = decidePermission(policy, asked, known);
    if (rules.length === 0 || decision.action === "deny") return decision;
    const own = decidePermission({ ...policy, agent: { ...policy.agent, permissions: [...rules] } }, asked, known);
    return own.action === "deny" || decision.action === "allow" ? own : decision;
  }

  #ask(call: ToolCallRef, turn: ActiveTurn, decision: Decision & { action: "ask" }): PermissionRequest {
    const { journal, partOf } = this.#ports;
    const part = partOf(call.callId);
    const request: PermissionRequest = {
      id: newId("per"), session: turn.session, turn: turn.id, agent: call.agent, permission: decision.permission, tool: call.tool,
      patterns: decision.patterns, always: decision.always, metadata: call.input,
      ...(part === undefined ? {} : { call: { message: part.message, part: part.id, callId: part.callId } }),
    };
    journal.append({ type: "permission.asked", session: journal.session, request });
    return request;
  }

  #log(request: PermissionRequest, reply: PermissionReply, always: string[], by: "client" | "flag" | "abort", message?: string): void {
    const { journal } = this.#ports;
    journal.append({
      type: "permission.replied", session: journal.session, id: request.id, reply, always, by, ...(message === undefined ? {} : { message }),
    });
  }

  #settle(id: string, reply: PermissionReply | "abort", message?: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    if (reply === "abort") waiting.decide(STOPPED as Replied);
    else if (reply === "reject") {
      waiting.decide({ allow: false, kind: "rejected", message: message === undefined || message === "" ? rejectedMessage : `${rejectedMessage} ${message}` });
    } else waiting.decide({ allow: true });
  }

  /** A new grant answers the other open requests that it covers. */
  async #settleCovered(): Promise<void> {
    const { journal, policyOf } = this.#ports;
    const covered = journal.state.permissions.filter((request) => {
      const call = this.#waiting.get(request.id)?.call;
      const policy = call === undefined ? undefined : policyOf(call.agent);
      return call !== undefined && policy !== undefined && this.#decide(call, policy, []).action === "allow";
    });
    for (const request of covered) this.#log(request, "once", [], "client");
    await journal.flushed();
    for (const request of covered) this.#settle(request.id, "once");
  }
}

/** Names the flag that would allow the call, ready to be pasted into a shell. */
function headlessMessage(tool: string, { permission, patterns }: Decision & { action: "ask" }): string {
  const flags = (patterns.length === 0 ? ["*"] : patterns).map((pattern) => `--allow ${shellQuoted(pattern === "*" ? permission : `${permission}:${pattern}`)}`);
  return `This ${tool} call needs a person's permission and nobody is there to be asked. It can be allowed at the start with ${flags.join(" ")}`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
