import type { EnforcedRule, HarnessDecision } from "@beeuni/protocol";
import type { NewEvent, SessionState } from "@beeuni/transcript";
import type { Notice, SessionPlan } from "../plan/session-plan.ts";

export interface Opening {
  epoch: string;
  decision: HarnessDecision;
  harnessVersion: string | null;
  rules: EnforcedRule[];
  isolation: string;
  notices: readonly Notice[];
}

/** What each opening leaves in the log. A notice that stands there already is not repeated. Pure. */
export function openedEvents(session: string, opening: Opening, state?: SessionState): NewEvent[] {
  const { notices, ...opened } = opening;
  const known = new Set(state?.notices.map(({ code, message }) => `${code}\n${message}`));
  return [
    { type: "session.opened", session, ...opened },
    ...notices.filter(({ code, message }) => !known.has(`${code}\n${message}`)).map((notice): NewEvent => ({ type: "session.notice", session, ...notice })),
  ];
}

/** What of the session is another now: agent, model, harness. None when all is as before. */
export function changedEvents(state: SessionState, { agent, model, harness }: Pick<SessionPlan, "agent" | "model" | "harness">): NewEvent[] {
  const { info } = state;
  const patch = {
    ...(info.agent === agent.name ? {} : { agent: agent.name }),
    ...(info.model.provider === model.provider && info.model.id === model.id && info.model.variant === model.variant ? {} : { model }),
    ...(info.harness === harness.id ? {} : { harness: harness.id }),
  };
  return Object.keys(patch).length === 0 ? [] : [{ type: "session.updated", session: info.id, patch }];
}
