import { isDeepStrictEqual } from "node:util";
import { readCalls } from "@beeuni/trace";
import { sessionIds, sessionPaths } from "@beeuni/daemon";
import type { LogEvent, SessionState } from "@beeuni/transcript";
import { readSessionLog, sessionHolder } from "@beeuni/transcript/log";
import { Findings } from "./findings.ts";
import { listening, processesLeft } from "./left-over.ts";
import { beginApart, type EndedCall } from "./life.ts";
import { Person, type Watching } from "./person.ts";
import type { Scene } from "./scene.ts";
import type { Fault } from "./serve-project.ts";
import type { KillState } from "./states.ts";

/** The prompts' ids, made by the client. */
export const PROMPT = "msg_0123456789abAAAAAAAAAAAAAA";
export const SECOND = "msg_0123456789acBBBBBBBBBBBBBB";

/** What the clients of a life were told before it died. */
export interface Told {
  /** Ids of sessions and prompts that were acknowledged. */
  accepted: Set<string>;
  watching: Watching;
  calls: readonly EndedCall[];
}

/** What a death left on the disk. */
export interface Remains {
  session: string;
  events: LogEvent[];
  state: SessionState;
  /** Bytes of a line that broke off. */
  tornBytes: number;
}

export interface Death {
  reached: string | null;
  told: Told;
  remains: Remains | null;
  problems: string[];
}

/** A life up to its death at `state`, and what was found right behind it. */
export async function liveUntil(scene: Scene, state: KillState, watching: Watching, fault?: Fault): Promise<Death> {
  const { client, ports, process } = await beginApart(scene.order(state, fault), scene.mark);
  const told: Told = { accepted: new Set(), watching, calls: process.calls };
  const { script } = scene;
  // Each request may die with the daemon; what it has done is read from the disk.
  let session = (await sessionIds(scene.home))[0];
  if (session === undefined) {
    session = (await client.sessions.create().catch(() => undefined))?.id;
    if (session !== undefined) told.accepted.add(session);
  }
  const prompt = async (id: string, text: string): Promise<void> => {
    const accepted = await client.sessions.prompt(session!, { message_id: id, parts: [{ type: "text", text }] }).catch(() => null);
    if (accepted !== null) told.accepted.add(id);
  };
  let person: Person | undefined;
  if (session !== undefined) {
    const queue = (): void => void prompt(SECOND, script.answer("second"));
    person = new Person(client, { session, watching, habit: state.person, onBusy: queue });
    await Promise.race([person.connected(), process.end]);
    await prompt(PROMPT, state.prompt === "long-command" ? script.longCommand : script.turn);
  }
  const end = await process.over();
  await person?.leave();

  const findings = new Findings();
  findings.equal({ end, reached: process.reached }, { end: "SIGKILL", reached: state.name }, "its death");
  findings.equal(process.stderr, "", "its standard error");
  findings.equal(await processesLeft(scene.markText), [], "processes after the death");
  findings.equal(await listening(ports), [], "listening ports after the death");
  const remains = await readRemains(scene.home);
  if (remains === null) findings.equal([watching.seen, [...told.accepted]], [[], []], "what a client was told of a session that is not there");
  else findings.problems.push(...(await examine(scene.home, remains, told)));
  return { reached: process.reached, told, remains, problems: findings.problems };
}

/** The only session of the home, from its log; null when there is none. */
export async function readRemains(home: string): Promise<Remains | null> {
  const [session] = await sessionIds(home);
  if (session === undefined) return null;
  const { state, events, tornBytes } = await readSessionLog(sessionPaths(home, session).directory);
  return { session, events: await Array.fromAsync(events()), state: state.sessions[session]!, tornBytes };
}

/** Compares what the clients were told with what is on the disk; problems when something of it is lost, or can't be read. */
export async function examine(home: string, { session, events, state }: Remains, { accepted, watching, calls }: Told): Promise<string[]> {
  const findings = new Findings();
  const { directory, trace } = sessionPaths(home, session);
  const lost = watching.seen.filter((event) => !isDeepStrictEqual(events[event.seq - 1], event));
  findings.check(lost.length === 0, `${lost.length} events that a client saw are not in the log: ${lost.map(({ seq, type }) => `${seq} ${type}`).join(", ")}`);
  const known = [session, ...state.messages.map(({ info }) => info.id)];
  for (const id of accepted) findings.check(known.includes(id), `${id} was acknowledged and is not in the log`);
  findings.equal(await sessionHolder(directory), null, "who holds the session after the death");

  const damages: string[] = [];
  const stored = await readCalls(trace, { session, writer: "gone", onProblem: ({ message }) => damages.push(message) });
  findings.equal(damages, [], "what of the trace can't be read");
  findings.equal(stored.filter(({ end }) => end === "open").map(({ number }) => number), [], "calls that look as if they ran");
  for (const { number, end, sha256 } of calls) {
    const call = stored.find((candidate) => candidate.number === number);
    findings.equal({ end: call?.end, sha256: call?.response.sha256 }, { end, sha256 }, `call ${number}, whose end was acknowledged`);
  }
  return findings.problems;
}
