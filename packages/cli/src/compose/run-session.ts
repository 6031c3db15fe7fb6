import { BeeuniError, formatModelRef, type PermissionRequest } from "@beeuni/protocol";
import { readSession, resolveSessionId, type SessionReading } from "@beeuni/daemon";
import { decidePermission, type HarnessRegistry } from "@beeuni/harness";
import { loadProject } from "@beeuni/project";
import { toolPermissionKeys } from "@beeuni/tools";
import type { SessionState } from "@beeuni/transcript";
import type { Io } from "../io.ts";
import type { TurnSession } from "../run/drive-turn.ts";
import { localServerAway, noModel } from "../run/no-model.ts";
import type { RunOptions } from "../run/options.ts";
import { projectDirectory } from "./home.ts";
import { isolationLine } from "./isolation.ts";
import { projectAboveLine } from "./project-above.ts";
import { type Answers, RemoteSession } from "./remote-session.ts";
import { builtInRegistry } from "./registry.ts";
import { findServer, type RunningServer } from "./server-file.ts";
import { openWorkbench, type Workbench } from "./workbench.ts";

export interface RunRequest {
  options: RunOptions;
  prompt: string;
  home: string;
  io: Io;
  stop: AbortSignal;
}

/** The session of a run, ready for its prompt, wherever it is open. */
export interface RunSession extends TurnSession {
  /** What a person should know before the turn, beside the notices among the events. */
  notices: string[];
  close(): Promise<void>;
}

/**
 * A new session, or the one of `-r`: in this process, or through the project's `beeuni serve` when that runs. Says first
 * that the agent's commands run with the user's rights.
 */
export async function openRunSession(request: RunRequest): Promise<RunSession> {
  const { options, home, io } = request;
  if (options.resume === undefined) {
    const directory = await projectDirectory(options.dir, io.cwd);
    note(io, isolationLine(directory));
    const above = await projectAboveLine(directory);
    if (above !== undefined) note(io, above);
    return await openHere(request, directory, undefined);
  }
  const id = await resolveSessionId(home, options.resume);
  const before = await readSession(home, id);
  const directory = await projectDirectory(before.state.info.directory, "/").catch((cause: Error) => {
    throw new BeeuniError("not_found", cause.message, { hint: "a session keeps its folder: bring it back, or start a new session elsewhere; what was said: beeuni session messages", cause });
  });
  note(io, isolationLine(directory));
  const server = await findServer(home, directory);
  return server === undefined ? await openHere(request, directory, before) : await openThere(request, server, before.state);
}

function note(io: Io, line: string): void {
  io.stderr.write(`beeuni: ${line}\n`);
}

async function openHere({ options, prompt, home, io, stop }: RunRequest, directory: string, before: SessionReading | undefined): Promise<RunSession> {
  const { model, agent, harness, title, allow } = options;
  const named = model ?? (before === undefined ? undefined : formatModelRef(before.state.info.model));
  const workbench = await openWorkbench({
    io, home, directory, harness, allow, stop, headless: true, named, note: (line) => note(io, line),
  });
  try {
    const choice = { ...(agent === undefined ? {} : { agent }), ...(model === undefined ? {} : { model }), ...(harness === undefined ? {} : { harness }) };
    const host = before === undefined
      ? await workbench.daemon.createSession({ ...choice, ...(title === undefined ? {} : { title }) })
      : await workbench.daemon.openSession(before.state.info.id, choice);
    return {
      id: host.id,
      state: () => host.state(),
      subscribe: (listener) => host.subscribe(listener),
      prompt: (input) => host.prompt(input),
      abort: () => host.abort(),
      earlier: () => host.log.read(before?.seq ?? 0),
      notices: standardModel(host.state(), workbench, named),
      close: () => workbench.close(),
    };
  } catch (thrown) {
    await workbench.close();
    const { providers } = workbench.models;
    const code = thrown instanceof BeeuniError ? thrown.code : undefined;
    if (code === "no_model") throw noModel("run", prompt, providers);
    throw (code === "model_not_found" ? localServerAway(named, providers) : undefined) ?? thrown;
  }
}

/** Says which model was taken when nothing named one. */
function standardModel({ info }: SessionState, { models: { standard } }: Workbench, named: string | undefined): string[] {
  return named === undefined && standard?.model === formatModelRef(info.model) ? [`model ${standard.model} (${standard.because})`] : [];
}

async function openThere({ options, io }: RunRequest, server: RunningServer, before: SessionState): Promise<RunSession> {
  const { model, agent, harness, allow } = options;
  if (harness !== undefined && harness !== before.info.harness) {
    throw new BeeuniError("session_locked", `the session is served at ${server.url}, on the harness ${before.info.harness}`, {
      hint: `leave --harness out, or stop the server first: kill ${server.pid}`,
    });
  }
  const session = await RemoteSession.join(server, before.info.id, await flagAnswers(allow, server.directory, before, builtInRegistry()));
  note(io, `through the server at ${server.url}`);
  const { status, permissions, questions } = session.state();
  if (status.type !== "idle") {
    const look = permissions.length > 0 ? "; it waits for an answer: beeuni permission ls" : questions.length > 0 ? "; it waits for an answer: beeuni question ls" : "";
    note(io, `a turn runs in this session, and this prompt comes after it${look}`);
  }
  return {
    id: session.id,
    state: () => session.state(),
    subscribe: (listener) => session.subscribe(listener),
    prompt: (input) => session.prompt({ ...input, ...(agent === undefined ? {} : { agent }), ...(model === undefined ? {} : { model }) }),
    abort: () => session.abort(),
    earlier: () => session.earlier(),
    notices: [],
    close: () => session.close(),
  };
}

/** `--allow` and `--yes` for a session that another process runs: its requests are answered as this process would decide. */
async function flagAnswers({ rules, everything }: RunOptions["allow"], workspace: string, { info }: SessionState, registry: HarnessRegistry): Promise<Answers> {
  if (everything) return () => ({ reply: "once" });
  const { agentSet, toolModules } = await loadProject(workspace, { runtimes: registry.runtimeIds() });
  const { dialect } = await registry.load(info.harness);
  return (request: PermissionRequest) => {
    const agent = agentSet.agents.find(({ name }) => name === request.agent);
    const grants = rules.map((rule) => ({ ...rule, agent: request.agent }));
    const isHostTool = toolModules.some(({ name }) => name === request.tool);
    const call = { tool: request.tool, input: request.metadata, ...(isHostTool ? { keys: toolPermissionKeys(request.tool, request.metadata) } : {}) };
    const isAllowed = agent !== undefined && decidePermission({ dialect, agent, workspace }, call, grants).action === "allow";
    const flag = request.patterns.map((pattern) => `--allow '${request.permission}:${pattern}'`).join(" ") || `--allow ${request.permission}`;
    return isAllowed ? { reply: "once" } : { reply: "reject", message: `Nobody is there to be asked. It can be allowed at the start with ${flag}` };
  };
}
