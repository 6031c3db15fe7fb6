import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFauxServer } from "@beeuni/gateway/faux";
import { SESSION_CAPABILITY_IDS, SUPPORT_KEYS } from "@beeuni/protocol";
import type { SessionCapability, SupportKey } from "@beeuni/protocol";
import type { Harness, HarnessEvent, HarnessSession, HostPort, SessionFeatures, SessionSpec } from "@beeuni/harness";
import { createScriptedHarness } from "../scripted/index.ts";
import { CELLS } from "./cells/index.ts";
import { CONTRACT } from "./contract.ts";
import { SCRIPT } from "./dialects.ts";
import { FEATURE_PROOFS } from "./features.ts";
import { Kit } from "./kit.ts";

/** The suite against a harness with one thing broken: each test must fail on its own break, or it proves nothing. */

const sound = createScriptedHarness({ model: true, capabilities: SESSION_CAPABILITY_IDS });

type Break = Partial<{ spec: (spec: SessionSpec) => SessionSpec; host: (host: HostPort) => HostPort; session: (session: HarnessSession) => HarnessSession; compile: Harness["compile"] }>;

function broken({ spec = same, host = same, session = same, compile = sound.compile }: Break): Harness {
  return { ...sound, compile, open: async (asked, port) => session(await sound.open(spec(asked), host(port))) };
}

function same<T>(value: T): T {
  return value;
}

const replaceHost = (change: (host: HostPort) => Partial<HostPort>) => (host: HostPort): HostPort => ({
  emit: (event) => host.emit(event), authorize: (call) => host.authorize(call), ask: (call, questions) => host.ask(call, questions),
  runTool: (call, signal) => host.runTool(call, signal), log: (level, message) => host.log(level, message), ...change(host),
});
const mapEvents = (change: (event: HarnessEvent) => HarnessEvent[]) => replaceHost((host) => ({ emit: (event) => change(event).forEach((out) => host.emit(out)) }));
const replaceSession = (change: (session: HarnessSession) => Partial<HarnessSession>) => (session: HarnessSession): HarnessSession => ({
  get nativeId() { return session.nativeId; },
  features: session.features, turn: (input) => session.turn(input), abort: () => session.abort(), health: () => session.health(), close: () => session.close(),
  ...change(session),
});
const mapAgents = (change: (agent: SessionSpec["agents"]["agents"][number]) => SessionSpec["agents"]["agents"][number]) => (spec: SessionSpec): SessionSpec =>
  ({ ...spec, agents: { ...spec.agents, agents: spec.agents.agents.map(change) } });

/** Pieces of a text are held back and come at once. */
function holdDeltas(): Break {
  const held = new Map<string, string>();
  return {
    host: mapEvents((event) => {
      if (event.type === "part.delta") {
        held.set(event.key, (held.get(event.key) ?? "") + event.delta);
        return [];
      }
      if (event.type === "part.end" && held.has(event.key)) return [{ type: "part.delta", key: event.key, delta: held.get(event.key) ?? "" }, event];
      return [event];
    }),
  };
}

const BREAKS: { [K in SupportKey]: [Break, RegExp][] } = {
  stream: [
    [holdDeltas(), /the text came in 1 piece/],
    [{ host: mapEvents((event) => (event.type === "part.delta" ? [] : [event])) }, /Expected values to be strictly equal/],
  ],
  abort: [
    [{ session: replaceSession(() => ({ abort: async () => {} })) }, /still waiting: the stopped turn ends/],
    [{ session: replaceSession((session) => ({ turn: async (input) => ({ ...(await session.turn(input)), outcome: "completed" }) })) }, /'completed'/],
    [{ host: mapEvents((event) => (event.type === "tool.error" ? [{ ...event, kind: "failed" }] : [event])) }, /'failed'/],
  ],
  resume: [
    [{ spec: (spec) => ({ ...spec, resume: null }) }, /lighthouse/],
    [{ host: mapEvents((event) => (event.type === "session.bound" ? [] : [event])) }, /the native id was not reported/],
  ],
  ask: [
    [{ host: replaceHost((host) => ({ authorize: async (call) => { void host.authorize(call); return { allow: true }; } })) }, /the call began before it was allowed|the command ran before/],
    [{ host: replaceHost((host) => ({ authorize: async (call) => { await host.authorize(call); return { allow: true }; } })) }, /the rejected command ran/],
    [{ host: replaceHost(() => ({ ask: async () => [["red"]] })) }, /Expected values to be strictly deep-equal/],
  ],
  deny: [
    [{ host: replaceHost(() => ({ authorize: async () => ({ allow: true }) })) }, /the denied command ran/],
    [{ host: replaceHost((host) => ({ authorize: (call) => host.authorize({ ...call, agent: "careful" }) })) }, /the other agent's command did not run/],
    [{ spec: mapAgents((agent) => ({ ...agent, tools: { kind: "all" } })) }, /an agent without tools is shown some/],
  ],
  hostTools: [
    [{ host: replaceHost(() => ({ runTool: async () => ({ output: "lamp: a bright thing", metadata: { from: "host" } }) })) }, /Expected values to be strictly deep-equal/],
    [{ spec: (spec) => ({ ...spec, agents: { ...spec.agents, hostTools: [] } }) }, /Expected values to be strictly deep-equal/],
  ],
  history: [
    [{ spec: (spec) => ({ ...spec, history: [] }) }, /lighthouse/],
    [{ spec: (spec) => ({ ...spec, history: spec.history.map((message) => ({ ...message, toolCalls: [] })) }) }, /the lamp was lit at nine/],
  ],
  sampling: [
    [{ spec: mapAgents((agent) => ({ ...agent, temperature: null })) }, /0\.25/],
    [{ spec: mapAgents((agent) => ({ ...agent, topP: null })) }, /0\.5/],
    [{ spec: mapAgents((agent) => ({ ...agent, temperature: 0.25, topP: 0.5 })) }, /undefined/],
  ],
  steps: [
    [{ spec: mapAgents((agent) => ({ ...agent, steps: null })) }, /with a limit of 2 steps, 4 ran/],
    [{ spec: mapAgents((agent) => ({ ...agent, steps: agent.steps === null ? null : 1 })) }, /with a limit of 2 steps, 1 ran/],
  ],
  subagents: [
    [{ host: mapEvents((event) => (event.child === undefined ? [event] : [])) }, /do not carry one key/],
    [{ host: mapEvents(({ child: _child, ...event }) => [event as HarnessEvent]) }, /do not carry one key/],
    [{ host: replaceHost((host) => ({ authorize: ({ child: _child, ...call }) => host.authorize(call) })) }, /authorized as the parent's/],
  ],
  wire: [
    [{ spec: (spec) => ({ ...spec, endpoint: { ...spec.endpoint, root: new URL("/elsewhere", spec.endpoint.root).href } }) }, /failed/],
    [{ host: mapEvents((event) => (event.type === "message.end" ? [{ ...event, responseId: null }] : [event])) }, /chatcmpl-/],
    [{ spec: (spec) => ({ ...spec, endpoint: { ...spec.endpoint, models: spec.endpoint.models.map((model) => ({ ...model, wireId: "another" })) } }) }, /another/],
  ],
};

const feature = (id: SessionCapability, value: unknown): Break => ({ session: replaceSession((session) => ({ features: { ...session.features, [id]: value } as SessionFeatures })) });
const nothing = async (): Promise<void> => {};

const FEATURE_BREAKS: { [K in SessionCapability]: [Break, RegExp][] } = {
  "session.rewind": [[feature("session.rewind", nothing), /basalt/]],
  "session.compact": [[feature("session.compact", nothing), /the conversation was/]],
  "session.fork": [[feature("session.fork", async () => ({ nativeId: "lost" })), /quartz/]],
  "session.shell": [[feature("session.shell", nothing), /ENOENT/]],
  "session.attach": [[feature("session.attach", async () => ({ command: [], env: {} })), /no command/]],
  "session.todo": [[feature("session.todo", nothing), /Expected values/]],
  "session.mcp": [[feature("session.mcp", nothing), /Expected values/]],
  "session.config": [[feature("session.config", async () => "text"), /answers "text"/]],
  "session.commands": [[feature("session.commands", async () => new Map()), /Expected values/]],
  "session.subagents": [[feature("session.subagents", undefined), /has no method/]],
};

const CONTRACT_BREAKS: [Break, RegExp][][] = [
  [
    [{ compile: (agents, endpoint, surface) => ({ ...sound.compile(agents, endpoint, surface), env: { PATH: String(Math.random()) } }) }, /deep-equal/],
    [{ compile: (agents, endpoint, surface) => ({ ...sound.compile(agents, endpoint, surface), argv: [endpoint.root] }) }, /the endpoint with its token/],
    [{ compile: (agents, endpoint, surface) => ({ ...sound.compile(agents, endpoint, surface), rules: {} }) }, /deep-equal/],
  ],
  [
    [{ session: replaceSession((session) => ({ turn: async (input) => { await session.turn(input); return { outcome: "completed" }; } })) }, /'completed'/],
    [{ host: mapEvents((event) => (event.type === "message.end" && event.error !== undefined ? [{ ...event, usage: { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 } }] : [event])) }, /reports usage/],
  ],
  [
    [{ host: mapEvents((event) => ("callId" in event ? [{ ...event, callId: "call" }] : [event])) }, /is not new/],
    [{ host: mapEvents((event) => (event.type === "tool.end" ? [] : [event])) }, /never ended/],
  ],
  [[{ session: replaceSession(() => ({ close: nothing })) }, /still waiting: the turn ends/]],
];

async function proof(harness: Harness, prove: (kit: Kit) => Promise<void>): Promise<void> {
  const model = async () => {
    const server = await createFauxServer();
    return { url: server.url.replace(/\/v1$/, ""), close: () => server.close() };
  };
  const kit = await Kit.start({ harness, prompts: { ...SCRIPT, sayOpen: (text) => `say ${text}` }, model, patience: 1500 });
  try {
    await prove(kit);
  } finally {
    // What a break left running is stopped behind its back.
    for (const session of sound.sessions) await session.close();
    await kit.dispose();
  }
}

describe("the suite fails on what is broken", { concurrency: 1 }, () => {
  for (const key of SUPPORT_KEYS) {
    const cell = CELLS.find((candidate) => candidate.key === key) ?? assert.fail(`no proof for ${key}`);
    BREAKS[key].forEach(([change, message], index) => {
      test(`control: ${key}, break ${index + 1}`, () => assert.rejects(proof(broken(change), (kit) => cell.prove(kit, "exact")), message));
    });
  }
  for (const id of SESSION_CAPABILITY_IDS) {
    FEATURE_BREAKS[id].forEach(([change, message]) => {
      test(`control: ${id}`, () => assert.rejects(proof(broken(change), FEATURE_PROOFS[id]), message));
    });
  }
  CONTRACT.forEach(({ title, prove }, index) => {
    const breaks = CONTRACT_BREAKS[index] ?? assert.fail(`no control for "${title}"`);
    breaks.forEach(([change, message], number) => {
      test(`control: ${title}, break ${number + 1}`, () => assert.rejects(proof(broken(change), prove), message));
    });
  });
});
