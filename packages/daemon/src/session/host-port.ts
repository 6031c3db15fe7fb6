import type { HostPort } from "@beeuni/harness";
import type { Binding } from "./binding.ts";
import type { HostTools } from "./host-tools.ts";
import type { Journal } from "./journal.ts";
import type { Logger } from "./logger.ts";
import type { Permissions } from "./permissions.ts";
import type { Questions } from "./questions.ts";
import type { Turns } from "./turns.ts";

export interface HostPortParts {
  journal: Journal;
  binding: Binding;
  turns: Turns;
  permissions: Permissions;
  questions: Questions;
  tools: HostTools;
  log: Logger;
}

/**
 * What the harness of one opening may do with the session. An opening that is over changes nothing any more: its events are
 * left out and its calls are refused.
 */
export function hostPort(parts: HostPortParts, isCurrent: () => boolean): HostPort {
  const { journal, binding, turns, permissions, questions, tools, log } = parts;
  return {
    emit: (event) => {
      if (!isCurrent()) return;
      if (event.type === "session.bound") {
        if (event.child === undefined) binding.bindNative(event.nativeId);
      } else turns.inbox.push(event);
    },
    authorize: async (call) => {
      // Its `tool.call` may still wait for the end of the turn before.
      await turns.inbox.settled();
      if (!isCurrent()) return { allow: false, kind: "aborted", message: "The session was closed." };
      return await permissions.authorize(call, turns.turnOf(call.child));
    },
    ask: async (call, items) => {
      await turns.inbox.settled();
      if (!isCurrent()) return await questions.ask(call, items, undefined);
      // A call that asks runs, whether its harness has come to say so or not.
      turns.inbox.push({ ...(call.child === undefined ? {} : { child: call.child }), type: "tool.start", callId: call.callId });
      return await questions.ask(call, items, turns.turnOf(call.child));
    },
    runTool: async (call, signal) => {
      await turns.inbox.settled();
      // The tool's start is in the log before the tool can do anything.
      await journal.flushed();
      return await tools.run(call, signal);
    },
    log,
  };
}
