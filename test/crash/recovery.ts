import type { Part, SessionState, ToolPart } from "@beeuni/transcript";
import type { Remains } from "./death.ts";
import type { Findings } from "./findings.ts";

/** Compares what was open at the death with what the next life made of it: closed as interrupted, nothing else changed. */
export function checkRecovery(dead: Remains | null, now: SessionState, findings: Findings): void {
  findings.equal({ status: now.status, permissions: now.permissions, questions: now.questions }, { status: { type: "idle" }, permissions: [], questions: [] }, "the session after it was opened again");
  findings.equal(openItems(now), [], "what is open after the session was opened again");
  if (dead === null) return;
  const { state: before } = dead;
  for (const turn of before.turns) {
    const then = now.turns.find(({ id }) => id === turn.id);
    findings.equal(then?.outcome, turn.outcome ?? "interrupted", `the outcome of the turn ${turn.id}`);
  }
  const unstarted = before.messages.filter(({ info }) => info.role === "user" && before.turns.every(({ id }) => id !== info.turn));
  for (const { info } of unstarted) findings.equal(now.turns.find(({ id }) => id === info.turn)?.outcome, "interrupted", `the outcome of the turn that ${info.id} waited for`);

  for (const part of before.messages.flatMap(({ parts }) => parts)) {
    const then = now.messages.flatMap(({ parts }) => parts).find(({ id }) => id === part.id);
    if (!isOpenPart(part)) findings.equal(then, part, `the part ${part.id}, which had ended`);
    else if (part.type === "tool") findings.equal(then?.type === "tool" && then.state.status === "error" ? then.state.kind : then, "interrupted", `the open call ${part.callId}`);
    else if (part.type !== "file") findings.equal(then?.type === part.type ? then.text : then, part.text, `the text of the open part ${part.id}`);
  }
}

/** A recovery is told once, by one event that names all that was open, and one notice; nothing is told when nothing was. */
export function checkRecoveryTold(dead: Remains | null, end: Remains, findings: Findings): void {
  const told = (remains: Remains | null) => remains?.events.filter((event) => event.type === "session.recovered") ?? [];
  const fresh = told(end).slice(told(dead).length).map(({ turn, parts, permissions, questions, tornBytes }) => ({ turn, parts, permissions, questions, tornBytes }));
  findings.equal(fresh, dead === null || !needsRecovery(dead) ? [] : [openAt(dead)], "what the recovery told");
  findings.equal(end.state.notices.filter(({ code }) => code === "interrupted").length, told(end).length, "notices of an interruption");
}

function needsRecovery({ state, tornBytes }: Remains): boolean {
  return tornBytes > 0 || [...openItems(state), ...state.permissions, ...state.questions].length > 0;
}

function openAt({ state: { turns, messages, permissions, questions }, tornBytes }: Remains) {
  return {
    turn: turns.find(({ endedAt }) => endedAt === undefined)?.id,
    parts: messages.flatMap(({ parts }) => parts).filter(isOpenPart).map(({ id }) => id),
    permissions: permissions.map(({ id }) => id), questions: questions.map(({ id }) => id), tornBytes,
  };
}

export function toolParts(state: SessionState): ToolPart[] {
  return state.messages.flatMap(({ parts }) => parts).filter((part): part is ToolPart => part.type === "tool");
}

function isOpenPart(part: Part): boolean {
  if (part.type === "tool") return part.state.status === "pending" || part.state.status === "running";
  return part.type !== "file" && part.endedAt === undefined;
}

/** Ids of turns, messages and parts without an end, and of prompts whose turn never began. */
function openItems({ turns, messages }: SessionState): string[] {
  return [
    ...turns.filter(({ endedAt }) => endedAt === undefined).map(({ id }) => id),
    ...messages.flatMap(({ info, parts }) => [
      ...(info.role === "assistant" ? info.endedAt === undefined : turns.every(({ id }) => id !== info.turn)) ? [info.id] : [],
      ...parts.filter(isOpenPart).map(({ id }) => id),
    ]),
  ];
}
