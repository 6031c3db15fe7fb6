import { rm } from "node:fs/promises";
import { readSessionCalls, sessionPaths } from "@beeuni/daemon";
import { readBodyText, readCalls } from "@beeuni/trace";
import type { BeeuniClient } from "@beeuni/sdk";
import type { SessionState } from "@beeuni/transcript";
import { PROMPT, type Remains, readRemains, SECOND } from "./death.ts";
import { Findings } from "./findings.ts";
import { listening, litter, processesLeft } from "./left-over.ts";
import { beginApart, beginHere } from "./life.ts";
import { lastText, type ModelRequest, requestProblems, toolResults } from "./model-request.ts";
import { Person, type Watching } from "./person.ts";
import { checkRecovery, checkRecoveryTold, toolParts } from "./recovery.ts";
import type { Scene } from "./scene.ts";
import type { Fault } from "./serve-project.ts";
import type { KillState } from "./states.ts";

export interface Afterlife {
  /** The death that it follows; null when that left no session. */
  dead: Remains | null;
  state: KillState;
  watching: Watching;
  fault?: Fault | undefined;
  /** In a process of its own; else in this one, which is cheaper. */
  isApart: boolean;
}

/** The life after a death: the same prompt again, what was closed, two further turns, an orderly end. */
export async function liveOn(scene: Scene, { dead, state, watching, fault, isApart }: Afterlife): Promise<{ problems: string[]; left: string }> {
  const findings = new Findings();
  const order = scene.order(null, fault);
  const life = isApart ? await beginApart(order, scene.mark) : await beginHere(order);
  const { client, ports } = life;
  let session: string;
  try {
    session = dead?.session ?? (await client.sessions.create()).id;
    const person = await new Person(client, { session, watching }).connected();
    await repeatPrompts(scene, state, dead, { client, session }, findings);
    checkRecovery(dead, await client.sessions.state(session), findings);
    await nextTurn(scene, { client, session }, "next", findings);
    // The harness's own files are gone: it is told the conversation from the transcript.
    await rm(sessionPaths(scene.home, session).state, { recursive: true });
    await client.sessions.restart(session);
    const request = await nextTurn(scene, { client, session }, "told", findings);
    const { seq, epoch: _, ...now } = await client.sessions.state(session);
    if (request !== null) checkTold(now, request, findings);
    findings.check(await person.saw(seq), `the client that came back did not see event ${seq}`);
    findings.equal(watching.tree.sessions[session], now, "the state of the client that came back");
    findings.equal(watching.seen.map((event) => event.seq), watching.seen.map((_event, index) => index + 1), "numbers of the events that the client saw over all lives");
    await person.leave();
  } finally {
    findings.problems.push(...(await life.close()));
  }
  findings.equal(await processesLeft(scene.markText), [], "processes after the end");
  findings.equal(await listening(ports), [], "listening ports after the end");
  findings.equal(await litter(sessionPaths(scene.home, session).directory), [], "locks and half-written files after the end");
  const end = (await readRemains(scene.home))!;
  checkRecoveryTold(dead, end, findings);
  return { problems: findings.problems, left: await summary(scene, end, findings) };
}

interface Way { client: BeeuniClient; session: string }

/** The client, which does not know what became of its prompts, sends them again; twice. */
async function repeatPrompts(scene: Scene, state: KillState, dead: Remains | null, { client, session }: Way, findings: Findings): Promise<void> {
  const texts = [[PROMPT, state.prompt === "long-command" ? scene.script.longCommand : scene.script.turn], ...(state.person === "queues" ? [[SECOND, scene.script.answer("second")]] : [])] as const;
  for (const [id, text] of texts) {
    const isKnown = dead?.state.messages.some(({ info }) => info.id === id) ?? false;
    for (const deduplicated of [isKnown, true]) {
      const again = await client.sessions.promptAndWait(session, { message_id: id!, parts: [{ type: "text", text: text! }] });
      findings.equal([again.message, again.deduplicated], [id, deduplicated], "the prompt again");
      findings.check(again.result.outcome !== undefined, "the repeated prompt was answered before its turn had ended");
    }
  }
  const users = (await client.sessions.state(session)).messages.filter(({ info }) => info.role === "user");
  findings.equal(users.map(({ info, parts }) => [info.id, parts.map((part) => (part.type === "text" ? part.text : part.type))]), texts.map(([id, text]) => [id, [text]]), "the prompts of the session");
  findings.check(scene.runs() <= 1, `the command ran ${scene.runs()} times`);
}

/** A turn must work, and its model request must be one that a provider takes. */
async function nextTurn(scene: Scene, { client, session }: Way, word: string, findings: Findings): Promise<ModelRequest | null> {
  const { result, message } = await client.sessions.promptAndWait(session, scene.script.answer(word));
  findings.equal([result.outcome, result.error], ["completed", undefined], `the turn "${word}"`);
  const { messages } = await client.sessions.state(session);
  const answer = messages.filter(({ info }) => info.role === "assistant" && info.parent === message);
  findings.equal(answer.flatMap(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type))), [word], `the answer to "${word}"`);
  const number = result.calls?.[0];
  if (number === undefined || number >= result.calls![1]) {
    findings.problems.push(`the turn "${word}" made no model call`);
    return null;
  }
  const { text } = await readBodyText(sessionPaths(scene.home, session).trace, number, "request");
  const request = JSON.parse(text) as ModelRequest;
  findings.equal(requestProblems(request), [], `the model request of "${word}"`);
  findings.equal(lastText(request), lastText({ messages: [{ role: "user", content: scene.script.answer(word).replace(/^say /, "") }] }), `the last message of the model request of "${word}"`);
  return request;
}

/** Every call of the transcript is told with its result, also one that never ended. */
function checkTold(state: SessionState, request: ModelRequest, findings: Findings): void {
  const told = toolResults(request);
  for (const { callId, state: call } of toolParts(state)) {
    const result = call.status === "completed" ? call.output : call.status === "error" ? call.error : "?";
    findings.equal(told.find((candidate) => candidate.callId === callId)?.text, result, `what the model was told of ${callId}`);
  }
}

/** What the deaths and the repeated prompt have left, in a line. */
async function summary(scene: Scene, { session, state }: Remains, findings: Findings): Promise<string> {
  const damages: string[] = [];
  await readCalls(sessionPaths(scene.home, session).trace, { session, writer: "gone", onProblem: ({ message }) => damages.push(message) });
  findings.equal(damages, [], "what of the trace can't be read at the end");
  const { calls } = await readSessionCalls(scene.home, session);
  findings.equal(calls.filter(({ end, turn }) => end === "open" || turn === null).map(({ number }) => number), [], "calls that are open or of no turn");
  findings.equal(new Set(calls.map(({ id }) => id)).size, calls.length, "ids of calls");
  const turn = state.turns.find(({ prompt }) => prompt === PROMPT);
  const tools = toolParts(state).map(({ tool, state: call }) => `${tool} ${call.status === "error" ? call.kind : call.status}`);
  const ends = calls.filter((call) => call.turn === turn?.id).map(({ end }) => end);
  return [`turn ${turn?.outcome}`, ...tools, `ran ${scene.runs()}x`, `calls ${ends.join(" ") || "none"}`].join(", ");
}
