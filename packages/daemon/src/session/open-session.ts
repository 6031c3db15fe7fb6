import { mkdir, rm } from "node:fs/promises";
import { BeeuniError, type CreateSession, newId } from "@beeuni/protocol";
import { openTrace, type TraceWriter } from "@beeuni/trace";
import type { SessionLog, SessionState } from "@beeuni/transcript";
import { createSessionLog, type LogFs, openSessionLog } from "@beeuni/transcript/log";
import { chooseModel } from "../plan/choose-model.ts";
import { checkEnforcement, type Enforcement, type Notice, planSession, type SessionPlan } from "../plan/session-plan.ts";
import type { DaemonOptions, OpenOverrides } from "../types.ts";
import { Binding, readBinding } from "./binding.ts";
import { carryOver } from "./change-of-harness.ts";
import type { DaemonFacts } from "./health.ts";
import { HostTools } from "./host-tools.ts";
import { ModelAccess } from "./model-access.ts";
import { changedEvents, openedEvents, type Opening } from "./open-events.ts";
import { sessionPaths } from "./paths.ts";
import { recoveryEvents } from "./recovery.ts";
import { OpenSession } from "./session-host.ts";

const GRACE_MS = 10_000;

export interface OpenContext {
  options: DaemonOptions;
  facts: DaemonFacts;
  /** The session is closed. */
  onOver: (session: OpenSession) => void;
}

/** Starts a session. One that is refused leaves nothing behind. */
export async function createSession(context: OpenContext, request: CreateSession): Promise<OpenSession> {
  const { options, facts } = context;
  const plan = await planSession(options, { agent: request.agent, model: request.model, harness: request.harness, before: undefined, rules: request.rules });
  const id = newId("ses");
  const paths = sessionPaths(options.home, id);
  const opened = new Opened();
  try {
    const trace = opened.keep(await openTrace(paths.trace, options.trace));
    const access = opened.keep(accessOf(options, plan, id, trace));
    const enforcement = checkEnforcement(plan, access.endpoint(), options.allowUnenforced ?? false);
    const now = Date.now();
    const log = opened.keep(await createSessionLog(paths.directory, {
      id, title: request.title ?? "", directory: facts.directory, agent: plan.agent.name, model: plan.model, harness: plan.harness.id,
      ...(request.rules === undefined ? {} : { rules: request.rules }), createdAt: now, updatedAt: now,
    }, logOptions(options)));
    log.append(...openedEvents(id, openingOf(context, plan, enforcement, log, [])));
    await log.flushed();
    options.onCheckpoint?.("log-created");
    return await assemble(context, { id, plan, log, trace, access });
  } catch (thrown) {
    await opened.close();
    await Promise.allSettled([rm(paths.directory, { recursive: true, force: true }), rm(paths.trace, { recursive: true, force: true })]);
    throw thrown;
  }
}

/**
 * Opens a session that was there before: closes what a dead process left open, decides agent, model and harness again, and
 * carries the conversation over when the harness is another one.
 */
export async function resumeSession(context: OpenContext, id: string, overrides: OpenOverrides): Promise<OpenSession> {
  const { options } = context;
  const paths = sessionPaths(options.home, id);
  const opened = new Opened();
  try {
    const log = opened.keep(await openSessionLog(paths.directory, logOptions(options)));
    const before = stateOf(log, id);
    const trace = opened.keep(await openTrace(paths.trace, { ...options.trace, startAt: lastCallOf(before) }));
    await recover(context, log, trace);
    // An explicit choice of a harness stays the session's.
    const asked = overrides.harness ?? options.explicitHarness ?? (before.opened?.decision.rule === 0 ? before.opened.decision.harness : undefined);
    const plan = await planSession(options, { agent: overrides.agent ?? before.info.agent, model: overrides.model, harness: asked, before: before.info, rules: before.info.rules });
    const bound = await readBinding(paths.directory);
    const carried = carryOver(bound?.harness ?? before.info.harness, plan.harness, plan.decision, before.messages.length);
    const access = opened.keep(accessOf(options, plan, id, trace));
    const enforcement = checkEnforcement(plan, access.endpoint(), options.allowUnenforced ?? false);
    log.append(...changedEvents(before, plan), ...openedEvents(id, openingOf(context, plan, enforcement, log, carried === null ? [] : [carried]), before));
    await log.flushed();
    return await assemble(context, { id, plan, log, trace, access });
  } catch (thrown) {
    await opened.close();
    throw thrown;
  }
}

/** What has been opened so far, to be closed when the rest fails. */
class Opened {
  readonly #kept: { close(): Promise<void> }[] = [];

  keep<T extends { close(): Promise<void> }>(resource: T): T {
    this.#kept.push(resource);
    return resource;
  }

  async close(): Promise<void> {
    for (const resource of this.#kept.reverse()) await resource.close().catch(() => {});
  }
}

async function recover({ options }: OpenContext, log: SessionLog, trace: TraceWriter): Promise<void> {
  const events = recoveryEvents({ tree: log.state, tornBytes: log.tornBytes, at: Math.max(Date.now(), log.state.at), nextCall: trace.nextNumber });
  if (events.length === 0) return;
  log.append(...events);
  await log.flushed();
  options.onCheckpoint?.("recovered");
}

/** The session may call its own model and those of its agents. */
function accessOf({ gateway }: DaemonOptions, plan: SessionPlan, id: string, trace: TraceWriter): ModelAccess {
  const others = plan.agents.agents.flatMap(({ model }) => (model !== null && isServed(gateway, model) ? [model] : []));
  return new ModelAccess(gateway, id, trace, [plan.model, ...others]);
}

function isServed(gateway: DaemonOptions["gateway"], model: SessionPlan["model"]): boolean {
  try {
    gateway.resolve(model);
    return true;
  } catch {
    return false;
  }
}

function openingOf({ facts }: OpenContext, plan: SessionPlan, { rules, notices }: Enforcement, log: SessionLog, more: readonly Notice[]): Opening {
  return {
    epoch: log.epoch, decision: plan.decision, harnessVersion: plan.harness.toolchain.version, rules, isolation: facts.isolation.level,
    notices: [...plan.notices, ...notices, ...more],
  };
}

function logOptions({ logFs }: DaemonOptions): { fs?: LogFs } {
  return logFs === undefined ? {} : { fs: logFs };
}

/** Where the log says that the session's calls end. */
function lastCallOf({ turns }: SessionState): number {
  return Math.max(0, ...turns.flatMap(({ calls }) => calls ?? []));
}

function stateOf(log: SessionLog, id: string): SessionState {
  const state = log.state.sessions[id];
  if (state !== undefined && !state.deleted) return state;
  throw new BeeuniError("session_not_found", `there is no session ${id}`);
}

interface Parts {
  id: string;
  plan: SessionPlan;
  log: SessionLog;
  trace: TraceWriter;
  access: ModelAccess;
}

async function assemble(context: OpenContext, { id, plan, log, trace, access }: Parts): Promise<OpenSession> {
  const { options, facts } = context;
  const paths = sessionPaths(options.home, id);
  await mkdir(paths.state, { recursive: true, mode: 0o700 });
  const checkpoint = options.onCheckpoint ?? (() => {});
  const warn = options.log ?? (() => {});
  const { binding } = await Binding.open({
    directory: log.directory, harness: plan.harness.id, onWritten: () => checkpoint("binding-written"),
    onError: (error) => {
      // With the log gone for the same reason the session has ended, and has said so.
      if (session.failure === null) warn("error", `${id}: binding.json can't be written: ${error.message}`);
    },
  });
  const session: OpenSession = new OpenSession({
    id, log, trace, binding, access, facts, checkpoint, warn,
    harness: plan.harness, decision: plan.decision, agents: plan.agents, toolchainDir: plan.toolchainDir, stateDir: paths.state,
    tools: new HostTools({
      session: id, workspace: facts.directory, tools: plan.tools, env: options.commandEnv, directory: log.directory,
      warn: (message) => warn("warning", `${id}: ${message}`),
    }),
    resolveModel: (agent, asked, variant, state) =>
      chooseModel(options.gateway, { asked, variant, agent: agent.name === state.info.agent ? { ...agent, model: state.info.model } : agent, otherwise: state.info.model }),
    commandEnv: options.commandEnv, flags: options.allow ?? { rules: [], everything: false }, headless: options.headless,
    abortGrace: options.abortGrace ?? GRACE_MS, closeGrace: options.closeGrace ?? GRACE_MS,
    onOver: () => context.onOver(session),
  });
  session.start();
  return session;
}
