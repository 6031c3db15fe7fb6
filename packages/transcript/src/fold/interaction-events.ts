import type { Handlers } from "./handler.ts";

/** Permission requests and questions: open until somebody answers. */
export const interactionEvents: Handlers<"permission.asked" | "permission.replied" | "question.asked" | "question.replied" | "question.rejected"> = {
  "permission.asked": (session, { request }) => {
    session.permissions = [...without(session.permissions, request.id), request];
  },
  "permission.replied": (session, { id, reply, always }) => {
    const request = session.permissions.find((open) => open.id === id);
    if (request === undefined) return;
    session.permissions = without(session.permissions, id);
    if (reply !== "always") return;
    const known = new Set(session.grants.map(grantKey));
    const granted = [...new Set(always)].map((pattern) => ({ permission: request.permission, pattern, agent: request.agent }));
    session.grants = [...session.grants, ...granted.filter((grant) => !known.has(grantKey(grant)))];
  },
  "question.asked": (session, { request }) => {
    session.questions = [...without(session.questions, request.id), request];
  },
  "question.replied": (session, { id }) => {
    session.questions = without(session.questions, id);
  },
  "question.rejected": (session, { id }) => {
    session.questions = without(session.questions, id);
  },
};

function without<T extends { id: string }>(list: T[], id: string): T[] {
  return list.filter((item) => item.id !== id);
}

function grantKey({ permission, pattern, agent }: { permission: string; pattern: string; agent: string }): string {
  return JSON.stringify([permission, pattern, agent]);
}
