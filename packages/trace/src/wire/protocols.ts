import { chatCompletions } from "./chat-completions.ts";
import { messages } from "./messages.ts";
import type { WireProtocol } from "./response-facts.ts";
import { responses } from "./responses.ts";

/** A protocol that is not here (a model list, say) is recorded and shown, but not read. */
export const WIRE_PROTOCOLS: ReadonlyMap<string, WireProtocol> = new Map([
  ["chat-completions", chatCompletions],
  ["responses", responses],
  ["messages", messages],
]);
