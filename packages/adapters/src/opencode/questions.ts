import { BeeuniError } from "@beeuni/protocol";
import type { HostPort, ToolCallRef } from "@beeuni/harness";
import type { NativeQuestion } from "./native-events.ts";
import type { Refusal } from "./tool-calls.ts";

/** What goes back to OpenCode. A refusal is also what the call is reported with. */
export type QuestionAnswer = { answers: string[][] } | { refusal: Refusal };

/** Puts OpenCode's questions to a person and waits. */
export async function askPerson(host: Pick<HostPort, "ask">, call: ToolCallRef, { questions }: NativeQuestion): Promise<QuestionAnswer> {
  try {
    return { answers: await host.ask(call, questions) };
  } catch (thrown) {
    const code = thrown instanceof BeeuniError ? thrown.code : "";
    if (code === "aborted") return { refusal: { kind: "aborted", message: "The call was stopped before it ended." } };
    if (code === "denied") return { refusal: { kind: "rejected", message: "The user dismissed the question." } };
    return { refusal: { kind: "failed", message: (thrown as Error).message } };
  }
}
