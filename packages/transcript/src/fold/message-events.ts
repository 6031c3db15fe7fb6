import { type Handlers, touch } from "./handler.ts";
import { endRetryWait } from "./turn-events.ts";

export const messageEvents: Handlers<"message.created" | "message.updated" | "message.removed"> = {
  "message.created": (session, { at, message, parts = [] }, draft) => {
    touch(session, at, draft);
    if (message.role === "assistant") endRetryWait(session);
    if (draft.message(session.info.id, message.id) === undefined) draft.addMessage(session, message);
    else draft.setMessage(session, message);
    for (const part of parts) draft.putPart(session, part);
  },
  "message.updated": (session, { message, patch }, draft) => {
    const known = draft.message(session.info.id, message)?.info;
    if (known?.role === "assistant") draft.setMessage(session, { ...known, ...patch });
  },
  "message.removed": (session, { message }, draft) => {
    if (draft.message(session.info.id, message) !== undefined) draft.removeMessage(session, message);
  },
};
