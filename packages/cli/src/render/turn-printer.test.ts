import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogEvent, NewEvent, Part, StreamEvent, ToolState } from "@beeuni/transcript";
import { captureSink, matchesGolden } from "../testing/capture.ts";
import { TurnPrinter } from "./turn-printer.ts";
import { width } from "./width.ts";

const session = "ses_1";
const model = { provider: "faux", id: "demo" };
let seq = 0;
const log = (event: NewEvent): LogEvent => ({ ...event, seq: ++seq, at: 1000 }) as LogEvent;
const assistant = (id: string): LogEvent =>
  log({ type: "message.created", session, message: { id, session, role: "assistant", turn: "trn_1", at: 1000, agent: "build", model } });
const updated = (part: Part): LogEvent => log({ type: "part.updated", session, part });
const text = (id: string, message: string, body: string, kind: "text" | "reasoning" = "text"): LogEvent =>
  updated({ id, session, message, type: kind, text: body, startedAt: 1000 });
const delta = (part: string, offset: number, more: string): StreamEvent => ({ type: "part.delta", session, part, offset, delta: more });
const tool = (id: string, name: string, state: ToolState): LogEvent =>
  updated({ id, session, message: "msg_2", type: "tool", tool: name, callId: `call_${id}`, state });

const ls = { command: "ls -la --color=never /some/long/folder/name" };
const turn: StreamEvent[] = [
  log({ type: "message.created", session, message: { id: "msg_1", session, role: "user", turn: "trn_1", at: 1000, agent: "build", model } }),
  text("prt_0", "msg_1", "the prompt is not printed again"),
  assistant("msg_2"),
  text("prt_1", "msg_2", "", "reasoning"),
  delta("prt_1", 0, "First look,\nthen "),
  delta("prt_1", 17, "answer."),
  text("prt_2", "msg_2", ""),
  delta("prt_2", 0, "I'll look."),
  delta("prt_2", 0, "I'll look."),
  tool("prt_3", "bash", { status: "pending", input: {} }),
  tool("prt_3", "bash", { status: "running", input: ls, startedAt: 1000 }),
  tool("prt_3", "bash", { status: "completed", input: ls, output: "a.txt\nb\tb\n\x1b[31mred\nd\ne\nf\ng\n", metadata: {}, startedAt: 1000, endedAt: 2000 }),
  tool("prt_4", "bash", { status: "running", input: { command: "sleep 1" }, startedAt: 1000 }),
  tool("prt_5", "write", { status: "running", input: { path: "out.txt", content: "x" }, startedAt: 1000 }),
  tool("prt_4", "bash", { status: "completed", input: { command: "sleep 1" }, output: "", metadata: {}, startedAt: 1000, endedAt: 2000 }),
  tool("prt_5", "write", { status: "error", input: { path: "out.txt", content: "x" }, kind: "denied", error: "the agent may not write", endedAt: 2000 }),
  log({ type: "turn.retry", session, turn: "trn_1", attempt: 2, message: "429 too many requests", nextAt: 3000 }),
  assistant("msg_3"),
  text("prt_6", "msg_3", ""),
  delta("prt_6", 0, "There are seven"),
  delta("prt_6", 20, "lost, and this one comes too late"),
  { ...log({ type: "part.snapshot", session, part: "prt_6", text: "There are seven files" }), seq: 0, at: 0 } as LogEvent,
  delta("prt_6", 15, " files in"),
  updated({ id: "prt_6", session, message: "msg_3", type: "text", text: "There are seven files in it.", startedAt: 1000, endedAt: 1100 }),
  log({ type: "session.notice", session: "ses_other", level: "error", code: "x", message: "not this session's" }),
];

function printed(columns: number, options: { terminal?: boolean; colour?: boolean } = {}): { stdout: string; stderr: string } {
  const out = captureSink({ columns, ...options });
  const err = captureSink({ columns, ...options });
  const printer = new TurnPrinter(session, out.sink, err.sink, () => 1000);
  for (const event of turn) printer.event(event);
  printer.report(["done"]);
  return { stdout: out.text(), stderr: err.text() };
}

for (const columns of [80, 40]) {
  test(`a turn on a terminal of ${columns} columns`, () => {
    const { stdout, stderr } = printed(columns, { terminal: true });
    matchesGolden(`turn-${columns}.txt`, stdout);
    assert.equal(stderr, "beeuni: retrying in 2.0s (attempt 2): 429 too many requests\n");
    for (const line of stdout.split("\n")) assert.ok(width(line) <= columns, line);
  });
}

test("colour changes nothing but colour", () => {
  const { stdout } = printed(80, { terminal: true, colour: true });
  assert.match(stdout, /\x1b\[/);
  assert.equal(stdout.replace(/\x1b\[\d+m/g, ""), printed(80, { terminal: true }).stdout);
});

test("in a pipe the model's text is left as it is", () => {
  const out = captureSink();
  const printer = new TurnPrinter(session, out.sink, captureSink().sink);
  printer.event(assistant("msg_9"));
  printer.event(text("prt_9", "msg_9", "raw \x1b[1m bytes\n"));
  assert.equal(out.text(), "raw \x1b[1m bytes\n");
});

test("a part that ends otherwise than it streamed is said again, whole", () => {
  const out = captureSink();
  const printer = new TurnPrinter(session, out.sink, captureSink().sink);
  for (const event of [assistant("msg_9"), text("prt_9", "msg_9", ""), delta("prt_9", 0, "wrong"), text("prt_9", "msg_9", "right")]) printer.event(event);
  assert.equal(out.text(), "wrong\nright");
});
