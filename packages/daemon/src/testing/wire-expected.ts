import type { WireReport } from "./wire-script.ts";

const prompt = ["user", "text", "session.updated", "busy"];
const step = (...inside: string[]): string[] => ["assistant open", "step-start", ...inside];
const finished = (finish: string): string[] => [`step-finish ${finish}`, `assistant ${finish} open`, `assistant ${finish} over`];
const said = [...step("text", "message.part.delta", "text whole"), ...finished("stop")];
const idle = ["session.updated", "idle", "session.idle"];
const called = (...inside: string[]): string[] => [...step(...inside), ...finished("tool-calls"), "busy"];
const asked = (tool: string, request: string, ...end: string[]): string[] => [`${tool} pending`, `${tool} running`, request, ...end];
const callThenText = (call: string): string[] => ["user: text", `assistant tool-calls over: step-start, ${call}, step-finish tool-calls`, "assistant stop over: step-start, text whole, step-finish stop"];

/** Order and kinds of what a program sees on any harness. */
export const EXPECTED: WireReport = {
  events: {
    text: [...prompt, ...said, ...idle],
    once: [...prompt, ...called(...asked("bash", "permission.asked", "permission.replied once", "bash running", "bash completed")), ...said, ...idle],
    reject: [...prompt, ...called(...asked("bash", "permission.asked", "permission.replied reject", "bash error")), ...said, ...idle],
    always: [...prompt, ...called(...asked("bash", "permission.asked", "permission.replied always", "bash running", "bash completed")), ...said, ...idle],
    stored: [...prompt, ...called("bash pending", "bash running", "bash completed"), ...said, ...idle],
    host: [...prompt, ...called("greet pending", "greet running", "greet completed"), ...said, ...idle],
    answered: [...prompt, ...called("question pending", "question running", "question.asked", "question.replied", "question completed"), ...said, ...idle],
    dismissed: [...prompt, ...called("question pending", "question running", "question.asked", "question.rejected", "question error"), ...said, ...idle],
    abort: [...prompt, ...step("text", "message.part.delta", "text whole"), "assistant MessageAbortedError over", "error MessageAbortedError", ...idle],
  },
  messages: {
    text: ["user: text", "assistant stop over: step-start, text whole, step-finish stop"],
    once: callThenText("bash completed"),
    reject: callThenText("bash error"),
    always: callThenText("bash completed"),
    stored: callThenText("bash completed"),
    host: callThenText("greet completed"),
    answered: callThenText("question completed"),
    dismissed: callThenText("question error"),
    abort: ["user: text", "assistant MessageAbortedError over: step-start, text whole"],
  },
  hostCall: { tool: "greet", state: { status: "completed", input: { name: "Ann", times: 2 }, output: "Hello Ann\nHello Ann\n", title: "Ann", metadata: {} } },
};

/** A project whose agent asks before it runs a command, with a tool of its own. */
export const ASKING_PROJECT = {
  "beeuni.yaml": "beeuni_version: 2\nproject:\n  name: test\ndefault_agent: a\nagents:\n  a: {}\ntools:\n  greet: tools/greet.ts\n",
  "tools/greet.ts": `export default {
    description: "Greets somebody.",
    parameters: { type: "object", properties: { name: { type: "string" }, times: { type: "number" } }, required: ["name", "times"] },
    execute: ({ name, times }: { name: string; times: number }) => \`Hello \${name}\\n\`.repeat(times),
  };`,
  "agents/a.md": "---\nmode: primary\npermission:\n  bash: ask\n---\nBe brief.\n",
};
