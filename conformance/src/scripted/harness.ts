import type { SessionCapability, SupportTable } from "@beeuni/protocol";
import type { AgentSet, Compiled, Harness, HarnessSession, PermissionDialect, SessionSpec, Surface } from "@beeuni/harness";
import { scriptedFeatures } from "./features.ts";
import { NativeState } from "./native-state.ts";
import { ScriptedSession } from "./session.ts";
import { BUILTIN_TOOLS } from "./tools.ts";

export interface ScriptedOptions {
  /** Default `scripted`. */
  id?: string;
  /** Session functions that it lists and has. Default: none. */
  capabilities?: readonly SessionCapability[];
  /** Makes each `say` a streamed Chat Completions request to the session's endpoint. Default: no model is called. */
  model?: boolean;
  /** Cells of the support table to show otherwise. */
  support?: Partial<SupportTable>;
  dialect?: PermissionDialect;
  /** `open` throws this. */
  failOpen?: Error;
}

export interface ScriptedHarness extends Harness {
  /** Every spec that `open` was called with, oldest first. */
  readonly opened: readonly SessionSpec[];
  /** Every session that was opened, oldest first. */
  readonly sessions: readonly HarnessSession[];
}

const DIALECT: PermissionDialect = {
  order: "last-wins",
  unaskable: [],
  keys: { bash: ["bash"], read: ["read"], write: ["edit"], question: ["question"] },
  subject: { bash: "command", question: null },
};

/**
 * A harness in process that needs no model and no program: its prompt is a script (see `script.ts`). It implements the
 * whole contract, with a session file of its own, real commands in their own process groups, and turns that it starts
 * by itself.
 */
export function createScriptedHarness(options: ScriptedOptions = {}): ScriptedHarness {
  const capabilities = options.capabilities ?? [];
  const model = options.model ?? false;
  const opened: SessionSpec[] = [];
  const sessions: HarnessSession[] = [];
  return {
    id: options.id ?? "scripted",
    label: "Scripted",
    family: "harness",
    toolchain: { version: "1.0.0", tested: ["1.0.0"], packages: {}, probe: "", megabytes: 0 },
    dialect: options.dialect ?? DIALECT,
    builtinTools: BUILTIN_TOOLS.map(({ name }) => name),
    capabilities,
    opened,
    sessions,
    supports: ({ protocols }) =>
      !model || protocols.includes("chat-completions")
        ? { supported: true }
        : { supported: false, reason: "it speaks Chat Completions only" },
    support: () => ({ ...supportOf(model, capabilities), ...options.support }),
    compile: (agents, _endpoint, surface) => compile(agents, surface, model),
    open: async (spec, host) => {
      if (options.failOpen !== undefined) throw options.failOpen;
      opened.push(spec);
      let state = spec.resume === null ? null : await NativeState.load(spec.stateDir, spec.resume.nativeId);
      const bound = state !== null;
      if (state === null) {
        if (spec.resume !== null) {
          const message = `its session ${spec.resume.nativeId} is gone or damaged; it was told the transcript (${spec.history.length} messages)`;
          host.emit({ type: "notice", level: "warning", code: "native_session_lost", message });
        }
        state = await NativeState.create(spec.stateDir, spec.history);
      } else {
        host.emit({ type: "session.bound", nativeId: state.nativeId });
      }
      const session = new ScriptedSession({ spec, host, state, model, bound, features: scriptedFeatures(capabilities, spec, state) });
      sessions.push(session);
      return session;
    },
  };
}

function supportOf(model: boolean, capabilities: readonly SessionCapability[]): SupportTable {
  const exact = { level: "exact" } as const;
  const unasked = { level: "none", reason: "no model is asked: the prompt is the script" } as const;
  return {
    stream: exact, abort: exact, resume: exact, ask: exact, deny: exact, hostTools: exact, history: exact, steps: exact,
    sampling: model ? exact : unasked,
    wire: model ? exact : unasked,
    subagents: capabilities.includes("session.subagents") ? exact : { level: "none", reason: "the capability is not listed" },
  };
}

function compile(agents: AgentSet, surface: Surface, model: boolean): Compiled {
  const rules = agents.agents.map((agent) => [
    agent.name,
    agent.permissions.map((rule) =>
      surface === "project"
        ? { ...rule, enforcer: "host" as const }
        : { ...rule, enforcer: "nobody" as const, reason: "the native surface has no rules of ours" }),
  ]);
  const lost = (agent: string, key: string, why: string) => ({ field: `agents.${agent}.${key}`, effect: "not sent to the model", why });
  return {
    files: {},
    env: {},
    argv: [],
    rules: Object.fromEntries(rules) as Compiled["rules"],
    unsupported: agents.agents.flatMap((agent) => [
      ...(Object.keys(agent.options).length > 0 ? [lost(agent.name, "options", "the scripted harness passes no provider options on")] : []),
      ...(!model && agent.temperature !== null ? [lost(agent.name, "temperature", "no model is asked")] : []),
      ...(!model && agent.topP !== null ? [lost(agent.name, "top_p", "no model is asked")] : []),
    ]),
  };
}
