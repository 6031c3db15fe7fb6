import { EMPTY_TREE, type LogEvent, type NewEvent, reduce, reduceAll, type SessionState, TRANSCRIPT_FORMAT, wireAnswer, type WireEvent, wireEvents, wireMessages, type WirePart, wireSession } from "@beeuni/transcript";
import { logEvents, sampleInfo } from "@beeuni/transcript/testing";
import assert from "node:assert/strict";
import { test } from "node:test";

const CONTEXT = { projectID: "p1", version: "1.2.3" };
const MODEL = { provider: "faux", id: "demo" };
const S = "ses_root";
const id = (prefix: string, number: number): string => `${prefix}_${number.toString(16).padStart(12, "0")}AAAAAAAAAAAAAA`;
const [M1, M2, M3, T1, P1, P2, P3] = [id("msg", 1), id("msg", 4), id("msg", 7), id("trn", 2), id("prt", 3), id("prt", 5), id("prt", 8)];
const created: NewEvent = { type: "session.created", session: S, format: TRANSCRIPT_FORMAT, info: sampleInfo() };
const asked: NewEvent[] = [
  { type: "message.created", session: S, message: { id: M1, session: S, role: "user", turn: T1, at: 10, agent: "build", model: MODEL } },
  { type: "part.updated", session: S, part: { id: P1, session: S, message: M1, type: "text", text: "go", startedAt: 10, endedAt: 10 } },
  { type: "turn.started", session: S, turn: T1, origin: "user", prompt: M1, agent: "build", model: MODEL, harness: "scripted", callsFrom: 0 },
];
const answer = (message: string, at: number): NewEvent =>
  ({ type: "message.created", session: S, message: { id: message, session: S, role: "assistant", turn: T1, at, parent: M1, agent: "build", model: MODEL } });
const text = (part: string, message: string, words: string, endedAt?: number): NewEvent =>
  ({ type: "part.updated", session: S, part: { id: part, session: S, message, type: "text", text: words, startedAt: 20, ...(endedAt === undefined ? {} : { endedAt }) } });
const tool = (state: Extract<Extract<NewEvent, { type: "part.updated" }>["part"], { type: "tool" }>["state"]): NewEvent =>
  ({ type: "part.updated", session: S, part: { id: P2, session: S, message: M2, type: "tool", tool: "bash", callId: "c1", state } });
const input = { command: "echo hi" };
const ended = (message: string, more: Partial<Extract<NewEvent, { type: "message.updated" }>["patch"]> = {}): NewEvent =>
  ({ type: "message.updated", session: S, message, patch: { endedAt: 30, usage: { input: 3, output: 5, reasoning: 2, cacheRead: 1, cacheWrite: 0 }, finish: "stop", ...more } });
const over = (outcome: "completed" | "aborted" | "failed" | "interrupted", error?: { code: string; message: string; status?: number }): NewEvent =>
  ({ type: "turn.ended", session: S, turn: T1, outcome, usage: null, callsTo: 1, ...(error === undefined ? {} : { error }) });
const permission = { id: id("per", 6), session: S, turn: T1, agent: "build", permission: "bash", tool: "bash", patterns: ["echo hi"], always: ["echo *"], metadata: input, call: { message: M2, part: P2, callId: "c1" } };

function told(events: readonly NewEvent[]): WireEvent[] {
  let tree = EMPTY_TREE;
  return logEvents(events).flatMap((event: LogEvent) => {
    const before = tree;
    tree = reduce(tree, event);
    return wireEvents(before, event, tree, CONTEXT);
  });
}

function root(events: readonly NewEvent[]): SessionState {
  return reduceAll(EMPTY_TREE, logEvents(events)).sessions[S]!;
}

/** One line an event: its kind and what tells one turn from another. */
function inShort(events: readonly WireEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case "session.status": return event.properties.status.type;
      case "message.updated": {
        const { info } = event.properties;
        if (info.role === "user") return "user";
        return ["assistant", info.finish, info.error?.name, info.time.completed === undefined ? "open" : "over"].filter((word) => word !== undefined).join(" ");
      }
      case "message.part.updated": return partInShort(event.properties.part);
      case "message.part.delta": return `+ ${event.properties.delta}`;
      case "session.error": return `error ${event.properties.error.name}`;
      case "permission.replied": return `replied ${event.properties.reply}`;
      default: return event.type;
    }
  });
}

function partInShort(part: WirePart): string {
  if (part.type === "text" || part.type === "reasoning") return `${part.type} "${part.text}"${part.time?.end === undefined ? "" : " ."}`;
  if (part.type === "tool") return `${part.tool} ${part.state.status}`;
  return part.type === "step-finish" ? `step-finish ${part.reason}` : part.type;
}

test("a text turn, in the wire's order and object by object", () => {
  const events = [created, ...asked, answer(M2, 15), text(P2, M2, ""), { type: "part.snapshot", session: S, part: P2, text: "hel" } as const, text(P2, M2, "hello", 25), ended(M2), over("completed")];
  const wire = told(events);
  assert.deepEqual(inShort(wire), [
    "session.created", "user", 'text "go"', "session.updated", "busy", "busy", "assistant open", "step-start", 'text ""', "+ hel", 'text "hello" .', "step-finish stop",
    "assistant stop open", "assistant stop over", "session.updated", "idle", "session.idle",
  ]);
  const tokens = { total: 9, input: 3, output: 3, reasoning: 2, cache: { read: 1, write: 0 } };
  const info = {
    id: M2, sessionID: S, role: "assistant", time: { created: 15, completed: 30 }, parentID: M1, modelID: "demo", providerID: "faux", mode: "build", agent: "build",
    path: { cwd: "/work", root: "/work" }, cost: 0, tokens, finish: "stop",
  };
  const messages = [
    {
      info: { id: M1, sessionID: S, role: "user", time: { created: 10 }, agent: "build", model: { providerID: "faux", modelID: "demo" } },
      parts: [{ id: P1, sessionID: S, messageID: M1, type: "text", text: "go" }],
    },
    {
      info,
      parts: [
        { id: `prt_${M2.slice(4)}`, sessionID: S, messageID: M2, type: "step-start" },
        { id: P2, sessionID: S, messageID: M2, type: "text", text: "hello", time: { start: 20, end: 25 } },
        { id: "prt_ffffffffffffAAAAAAAAAAAAAA", sessionID: S, messageID: M2, type: "step-finish", reason: "stop", cost: 0, tokens },
      ],
    },
  ];
  assert.deepEqual(wireMessages(root(events)), messages);
  assert.deepEqual(wireAnswer(root(events), T1), messages[1]);
  assert.equal(wireAnswer(root(events), id("trn", 99)), undefined);
  assert.deepEqual(wireSession(root(events), CONTEXT), {
    id: S, slug: "ses_root", projectID: "p1", directory: "/work", path: "", title: "Sample", agent: "build", model: { id: "demo", providerID: "faux" }, version: "1.2.3",
    cost: 0, tokens, time: { created: 1000, updated: 1010 },
  });
});

test("a tool call with a permission: the step is over when the call is, also when its message ended before", () => {
  const call: NewEvent[] = [
    { type: "permission.asked", session: S, request: permission }, { type: "permission.replied", session: S, id: permission.id, reply: "once", always: [], by: "client" },
    tool({ status: "running", input, startedAt: 22 }), tool({ status: "running", input, startedAt: 22, metadata: { output: "h" } }),
    tool({ status: "completed", input, output: "hi\n", metadata: {}, startedAt: 22, endedAt: 40 }),
  ];
  const pending = tool({ status: "pending", input });
  const rest = [answer(M3, 50), text(P3, M3, ""), text(P3, M3, "done", 55), ended(M3), over("completed")];
  const before = [created, ...asked, answer(M2, 15), pending, ended(M2, { finish: "tool-calls" }), ...call, ...rest];
  const after = [created, ...asked, answer(M2, 15), pending, ...call, ended(M2, { finish: "tool-calls", endedAt: 40 }), ...rest];
  const lines = [
    "session.created", "user", 'text "go"', "session.updated", "busy", "busy", "assistant open", "step-start", "bash pending", "bash running", "permission.asked", "replied once",
    "bash running", "bash running", "bash completed", "step-finish tool-calls", "assistant tool-calls open", "assistant tool-calls over",
    "busy", "assistant open", "step-start", 'text ""', 'text "done" .', "step-finish stop", "assistant stop open", "assistant stop over", "session.updated", "idle", "session.idle",
  ];
  assert.deepEqual(inShort(told(before)), lines);
  assert.deepEqual(inShort(told(after)), lines);
  assert.deepEqual(wireMessages(root(before)), wireMessages(root(after)));
  const [, step] = wireMessages(root(before));
  assert.deepEqual(step!.parts[1], {
    id: P2, sessionID: S, messageID: M2, type: "tool", tool: "bash", callID: "c1",
    state: { status: "completed", input, output: "hi\n", title: "echo hi", metadata: { output: "hi\n" }, time: { start: 22, end: 40 } },
  });
  const [request, reply] = told(before).filter(({ type }) => type.startsWith("permission."));
  assert.deepEqual([request, reply], [
    { type: "permission.asked", properties: { id: permission.id, sessionID: S, permission: "bash", patterns: ["echo hi"], metadata: input, always: ["echo *"], tool: { messageID: M2, callID: "c1" } } },
    { type: "permission.replied", properties: { sessionID: S, requestID: permission.id, reply: "once" } },
  ]);
});

test("a rejected call is a tool's error, and the turn goes on as its harness does", () => {
  const wire = told([
    created, ...asked, answer(M2, 15), tool({ status: "pending", input }), { type: "permission.asked", session: S, request: permission },
    { type: "permission.replied", session: S, id: permission.id, reply: "reject", always: [], by: "client" },
    tool({ status: "error", input, kind: "rejected", error: "The user rejected this tool call.", endedAt: 33 }), ended(M2, { finish: "tool-calls" }), over("completed"),
  ]);
  assert.deepEqual(inShort(wire).slice(8), [
    "bash pending", "bash running", "permission.asked", "replied reject", "bash error", "step-finish tool-calls", "assistant tool-calls open", "assistant tool-calls over", "session.updated", "idle", "session.idle",
  ]);
});

test("an aborted turn: its final message first, then the error, then idle, once", () => {
  const wire = told([
    created, ...asked, answer(M2, 15), text(P2, M2, ""), { type: "turn.aborting", session: S, turn: T1 }, text(P2, M2, "hal", 25),
    { type: "message.updated", session: S, message: M2, patch: { endedAt: 31, usage: null, error: { code: "aborted", message: "It was stopped." } } }, over("aborted"),
  ]);
  assert.deepEqual(inShort(wire).slice(8), [
    'text ""', 'text "hal" .', "assistant MessageAbortedError over", "error MessageAbortedError", "session.updated", "idle", "session.idle",
  ]);
});

test("a stop between two steps shows on the last message", () => {
  const events = [created, ...asked, answer(M2, 15), text(P2, M2, "hi", 20), ended(M2), over("aborted")];
  assert.deepEqual(inShort(told(events)).slice(-7), ["assistant stop open", "assistant stop over", "assistant stop MessageAbortedError over", "error MessageAbortedError", "session.updated", "idle", "session.idle"]);
  const { info } = wireAnswer(root(events), T1)!;
  assert.ok(info.role === "assistant");
  assert.deepEqual(info.error, { name: "MessageAbortedError", data: { message: "The turn was stopped." } });
});

test("a failed model call has its status; a turn that failed before any answer gets one that says why", () => {
  const refused = { code: "rate_limit", message: "slow down", status: 429 };
  const withMessage = told([created, ...asked, answer(M2, 15), { type: "message.updated", session: S, message: M2, patch: { endedAt: 31, usage: null, error: refused } }, over("failed", refused)]);
  assert.deepEqual(inShort(withMessage).slice(6), ["assistant open", "step-start", "assistant APIError over", "error APIError", "session.updated", "idle", "session.idle"]);
  assert.deepEqual(withMessage.find(({ type }) => type === "session.error")!.properties, {
    sessionID: S, error: { name: "APIError", data: { message: "slow down", isRetryable: true, statusCode: 429 } },
  });
  const events = [created, ...asked, over("failed", { code: "harness", message: "it did not start" })];
  assert.deepEqual(inShort(told(events)).slice(3), ["session.updated", "busy", "assistant UnknownError over", "error UnknownError", "session.updated", "idle", "session.idle"]);
  const shown = {
    info: {
      id: `msg_${T1.slice(4)}`, sessionID: S, role: "assistant", time: { created: 1004, completed: 1005 }, parentID: M1, modelID: "demo", providerID: "faux", mode: "build", agent: "build",
      path: { cwd: "/work", root: "/work" }, cost: 0, tokens: { total: 0, input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      error: { name: "UnknownError", data: { message: "it did not start" } },
    },
    parts: [],
  };
  assert.deepEqual(wireAnswer(root(events), T1), shown);
  assert.deepEqual(wireMessages(root(events))[1], shown);
});

test("errors have the names that clients know", () => {
  const names = ["auth", "aborted", "interrupted", "output_length", "context_length", "rate_limit", "credits", "upstream", "steps", "harness", "no such code"].map((code) => {
    const error = told([created, ...asked, over("failed", { code, message: "m" })]).find(({ type }) => type === "session.error");
    return error?.type === "session.error" ? error.properties.error.name : undefined;
  });
  assert.deepEqual(names, [
    "ProviderAuthError", "MessageAbortedError", "MessageAbortedError", "MessageOutputLengthError", "ContextOverflowError", "APIError", "APIError", "APIError", "UnknownError", "UnknownError", "UnknownError",
  ]);
});

test("a model that is asked again: retry with its time, busy as soon as it answers", () => {
  const wire = told([created, ...asked, { type: "turn.retry", session: S, turn: T1, attempt: 2, message: "429", nextAt: 77 }, answer(M2, 15), text(P2, M2, "ok", 16), ended(M2), over("completed")]);
  assert.deepEqual(wire.filter(({ type }) => type === "session.status").map(({ properties }) => (properties as { status: unknown }).status), [
    { type: "busy" }, { type: "retry", attempt: 2, message: "429", next: 77 }, { type: "busy" }, { type: "idle" },
  ]);
});

test("questions are asked, answered and dismissed", () => {
  const questions = [{ question: "Which?", header: "Pick", options: [{ label: "one", description: "first" }], multiple: true }];
  const ask = (number: number): NewEvent => ({ type: "question.asked", session: S, request: { id: id("que", number), session: S, turn: T1, questions, call: { message: M2, part: P2, callId: "c1" } } });
  const wire = told([
    created, ...asked, answer(M2, 15), tool({ status: "running", input: {}, startedAt: 20 }), ask(6), { type: "question.replied", session: S, id: id("que", 6), answers: [["one"]] },
    ask(7), { type: "question.rejected", session: S, id: id("que", 7), by: "client" }, { type: "question.rejected", session: S, id: id("que", 9), by: "client" },
  ]).filter(({ type }) => type.startsWith("question."));
  const request = (number: number): unknown => ({ type: "question.asked", properties: { id: id("que", number), sessionID: S, tool: { messageID: M2, callID: "c1" }, questions } });
  assert.deepEqual(wire, [
    request(6), { type: "question.replied", properties: { sessionID: S, requestID: id("que", 6), answers: [["one"]] } },
    request(7), { type: "question.rejected", properties: { sessionID: S, requestID: id("que", 7) } },
  ]);
});

test("a sub-agent is a session of its own on the same stream; its requests carry its id", () => {
  const C = "ses_child";
  const child: NewEvent[] = [
    { type: "session.created", session: C, format: TRANSCRIPT_FORMAT, info: { ...sampleInfo(C), parent: S, title: "" } },
    { type: "turn.started", session: C, turn: id("trn", 9), origin: "harness", agent: "general", model: MODEL, harness: "scripted", callsFrom: 1 },
    { type: "message.created", session: C, message: { id: id("msg", 10), session: C, role: "assistant", turn: id("trn", 9), at: 30, agent: "general", model: MODEL } },
    { type: "permission.asked", session: S, request: { ...permission, session: C } },
    { type: "permission.replied", session: S, id: permission.id, reply: "always", always: ["echo *"], by: "client" },
    { type: "message.updated", session: C, message: id("msg", 10), patch: { endedAt: 40, usage: null, finish: "stop" } },
    { type: "turn.ended", session: C, turn: id("trn", 9), outcome: "completed", usage: null, callsTo: 2 },
  ];
  const wire = told([created, ...asked, ...child]).slice(5);
  assert.deepEqual(inShort(wire), [
    "session.created", "session.updated", "busy", "busy", "assistant open", "step-start", "permission.asked", "replied always", "step-finish stop", "assistant stop open", "assistant stop over",
    "session.updated", "idle", "session.idle",
  ]);
  assert.ok(wire.every(({ properties }) => properties.sessionID === C));
  const [first] = wire;
  assert.ok(first?.type === "session.created");
  assert.deepEqual([first.properties.info.parentID, first.properties.info.title], [S, "Child session - 1970-01-01T00:00:01.000Z"]);
  const open = wire.find(({ type }) => type === "message.updated");
  assert.ok(open?.type === "message.updated" && open.properties.info.role === "assistant");
  assert.equal(open.properties.info.parentID, id("msg", 9), "an id that stands in for the prompt that a sub-agent does not have");
});

test("a turn that the harness begins by itself answers the prompt before it; one inside of another leaves the session busy", () => {
  const own = id("trn", 6);
  const wire = told([
    created, ...asked, answer(M2, 15), text(P2, M2, "hi", 20), ended(M2),
    { type: "turn.started", session: S, turn: own, origin: "harness", agent: "build", model: MODEL, harness: "scripted", callsFrom: 1 },
    { type: "message.created", session: S, message: { id: M3, session: S, role: "assistant", turn: own, at: 15, agent: "build", model: MODEL } }, ended(M3),
    { type: "turn.ended", session: S, turn: own, outcome: "completed", usage: null, callsTo: 2 },
    { type: "turn.started", session: S, turn: T1, origin: "user", prompt: M1, agent: "build", model: MODEL, harness: "scripted", callsFrom: 2 }, over("completed"),
  ]);
  const parents = wire.flatMap((event) => (event.type === "message.updated" && event.properties.info.role === "assistant" ? [event.properties.info.parentID] : []));
  assert.deepEqual(new Set(parents), new Set([M1]));
  assert.equal(inShort(wire).filter((line) => line === "session.idle").length, 2);
});

test("what a crash left open is closed, and the turn says that it was interrupted", () => {
  const events: NewEvent[] = [
    created, ...asked, answer(M2, 15), tool({ status: "running", input, startedAt: 20 }), { type: "permission.asked", session: S, request: permission },
    { type: "permission.replied", session: S, id: permission.id, reply: "reject", always: [], by: "recovery" },
    tool({ status: "error", input, kind: "interrupted", error: "The process ended.", startedAt: 20, endedAt: 60 }),
    { type: "message.updated", session: S, message: M2, patch: { endedAt: 60, usage: null, error: { code: "interrupted", message: "The process ended." } } }, over("interrupted"),
    { type: "session.recovered", session: S, turn: T1, parts: [P2], permissions: [permission.id], questions: [], tornBytes: 3 },
  ];
  assert.deepEqual(inShort(told(events)).slice(8), [
    "bash pending", "bash running", "permission.asked", "replied reject", "bash error", "assistant MessageAbortedError over", "error MessageAbortedError", "session.updated", "idle", "session.idle",
  ]);
});

test("files of a prompt, a new title, a removed message, an archived session with rules of its own", () => {
  const rules = [{ permission: "question", pattern: "*", action: "deny" as const }];
  const wire = told([
    { ...created, info: { ...sampleInfo(), title: "", rules } } as NewEvent, ...asked,
    { type: "part.updated", session: S, part: { id: P2, session: S, message: M1, type: "file", mime: "text/plain", url: "file:///work/a.txt", filename: "a.txt" } },
    { type: "session.updated", session: S, patch: { title: "A title", archivedAt: 99 } }, { type: "message.removed", session: S, message: M1 },
  ]);
  assert.deepEqual(inShort(wire).slice(5), ["file", "session.updated", "message.removed"]);
  const [first] = wire;
  const last = wire.at(-2)!;
  assert.ok(first?.type === "session.created" && last.type === "session.updated");
  assert.equal(first.properties.info.title, "New session - 1970-01-01T00:00:01.000Z");
  assert.deepEqual([last.properties.info.title, last.properties.info.permission, last.properties.info.time], ["A title", rules, { created: 1000, updated: 1006, archived: 99 }]);
});

test("calls of file tools carry what clients draw them from: the path, and how the file will change", () => {
  const edits = [{ oldText: "a\nb\n", newText: "c" }, { oldText: "x", newText: "" }];
  const call = (name: string, args: { [key: string]: unknown }): { [key: string]: unknown } => {
    const part = { id: P2, session: S, message: M2, type: "tool" as const, tool: name, callId: "c1" };
    const request = { ...permission, permission: "edit", tool: name, metadata: args };
    const wire = told([
      created, ...asked, answer(M2, 15), { type: "part.updated", session: S, part: { ...part, state: { status: "pending", input: args } } }, { type: "permission.asked", session: S, request },
      { type: "part.updated", session: S, part: { ...part, state: { status: "completed", input: args, output: "ok", metadata: {}, startedAt: 20, endedAt: 21 } } },
    ]);
    const states = wire.flatMap((event) => (event.type === "message.part.updated" && event.properties.part.type === "tool" ? [event.properties.part.state] : []));
    const [, running, completed] = states;
    assert.ok(states[0]?.status === "pending" && running?.status === "running" && completed?.status === "completed" && wire.some(({ type }) => type === "permission.asked"));
    const shown = wire.find(({ type }) => type === "permission.asked");
    assert.ok(shown?.type === "permission.asked");
    return { input: running.input, title: completed.title, metadata: completed.metadata, asked: shown.properties.metadata };
  };
  const diff = "--- f.txt\n+++ f.txt\n@@ -1,2 +1,1 @@\n-a\n-b\n+c\n@@ -3,1 +1,0 @@\n-x\n";
  assert.deepEqual(call("edit", { path: "f.txt", edits }), {
    input: { filePath: "f.txt", edits }, title: "f.txt", metadata: { diff }, asked: { path: "f.txt", edits, filepath: "f.txt", diff },
  });
  const written = "--- f.txt\n+++ f.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n";
  assert.deepEqual(call("write", { path: "f.txt", content: "a\nb\n" }), {
    input: { filePath: "f.txt", content: "a\nb\n" }, title: "f.txt", metadata: {}, asked: { path: "f.txt", content: "a\nb\n", filepath: "f.txt", diff: written },
  });
  const own = { filePath: "f.txt", oldString: "a", newString: "b" };
  assert.deepEqual(call("edit", own), {
    input: own, title: "f.txt", metadata: { diff: "--- f.txt\n+++ f.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n" }, asked: { ...own, filepath: "f.txt", diff: "--- f.txt\n+++ f.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n" },
  });
  assert.deepEqual(call("edit", { path: "f.txt", edits: 7 }), { input: { filePath: "f.txt", edits: 7 }, title: "f.txt", metadata: {}, asked: { path: "f.txt", edits: 7 } });
  assert.deepEqual(call("mine", { path: "f.txt" }), { input: { path: "f.txt" }, title: "f.txt", metadata: {}, asked: { path: "f.txt" } });
});
