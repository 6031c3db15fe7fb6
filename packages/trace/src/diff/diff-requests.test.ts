import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { diffRequests, type RequestDiff } from "./diff-requests.ts";
import { diffSequence } from "./diff-sequence.ts";
import { requestSections, type Element } from "./request-sections.ts";

const diff = (protocol: string, before: unknown, after: unknown): RequestDiff =>
  diffRequests({ protocol, body: JSON.stringify(before) }, { protocol, body: JSON.stringify(after) });

const bash = { type: "function", function: { name: "bash", description: "Runs", parameters: { type: "object" } } };
const read = { type: "function", function: { name: "read", description: "Reads", parameters: { type: "object" } } };
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });

test("the next step of a turn only adds messages: the cache holds", () => {
  const before = { model: "m", messages: [{ role: "system", content: "Be brief." }, user("List it")], tools: [bash], stream: true };
  const call = { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: { name: "bash", arguments: "{}" } }] };
  const result = { role: "tool", tool_call_id: "call_1", content: "a.txt" };
  assert.deepEqual(diff("chat-completions", before, { ...before, messages: [...before.messages, call, result] }), {
    comparable: true, protocol: "chat-completions", tools: [], system: [], parameters: [],
    messages: [{ kind: "added", after: 1, value: call }, { kind: "added", after: 2, value: result }],
    prefix: { tools: 1, system: 1, messages: 1, breaksAt: null },
  });
});

test("what was rewritten, removed and added, where it first differs, and where the cache breaks", () => {
  const before = { model: "m", temperature: 0.2, messages: [{ role: "system", content: "Today is Monday." }, user("one"), assistant("two"), user("three")], tools: [bash, read] };
  const after = { model: "m", top_p: 1, messages: [{ role: "system", content: "Today is Tuesday." }, user("one"), user("three"), assistant("four")], tools: [read] };
  assert.deepEqual(diff("chat-completions", before, after), {
    comparable: true, protocol: "chat-completions",
    tools: [{ kind: "removed", before: 0, value: bash }],
    system: [{
      kind: "rewritten", before: 0, after: 0, from: before.messages[0], to: after.messages[0],
      difference: { path: "/content/0/text", sharedCharacters: 9 },
    }],
    messages: [{ kind: "removed", before: 1, value: assistant("two") }, { kind: "added", after: 2, value: assistant("four") }],
    parameters: [{ name: "temperature", before: 0.2 }, { name: "top_p", after: 1 }],
    prefix: { tools: 0, system: 0, messages: 0, breaksAt: { section: "tools", index: 0, path: "/function/name", sharedCharacters: 0 } },
  });
});

test("Messages: a moved cache mark and a text written as a block are no change to what the model reads", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const before = { model: "m", system: "You code.", messages: [{ role: "user", content: [{ type: "text", text: "hi", ...mark }] }], max_tokens: 10 };
  const after = {
    model: "m", max_tokens: 10, system: [{ type: "text", text: "You code.", ...mark }],
    messages: [user("hi"), assistant([{ text: "yo", type: "text" }]), { role: "user", content: [{ type: "text", text: "go", ...mark }] }],
  };
  assert.deepEqual(diff("messages", before, after), {
    comparable: true, protocol: "messages", tools: [], system: [], parameters: [],
    messages: [{ kind: "added", after: 1, value: after.messages[1] }, { kind: "added", after: 2, value: after.messages[2] }],
    prefix: { tools: 0, system: 1, messages: 1, breaksAt: null },
  });
});

test("Messages: a compacted conversation breaks in the messages; the order of a tool's schema matters", () => {
  const tool = (schema: object) => ({ name: "bash", input_schema: schema });
  const before = { model: "m", tools: [tool({ type: "object", required: [] })], system: "s", messages: [user("a"), assistant("b"), user("c")] };
  const compacted = diff("messages", before, { ...before, messages: [user("Summary: …"), user("c")] });
  assert.deepEqual(compacted.comparable && [compacted.messages.map(({ kind }) => kind), compacted.prefix], [
    ["rewritten", "removed"],
    { tools: 1, system: 1, messages: 0, breaksAt: { section: "messages", index: 0, path: "/content/0/text", sharedCharacters: 0 } },
  ]);
  const reordered = diff("messages", before, { ...before, tools: [tool({ required: [], type: "object" })] });
  assert.deepEqual(reordered.comparable && reordered.prefix.breaksAt, { section: "tools", index: 0, path: "/input_schema/required" });
});

test("Responses: instructions, string input and items", () => {
  const before = { model: "m", instructions: "Be brief.", input: "hi", store: false };
  const item = { type: "function_call", call_id: "call_1", name: "bash", arguments: "{}" };
  const after = {
    model: "m", instructions: "Be brief.", store: false, reasoning: { effort: "high" },
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }, item],
  };
  assert.deepEqual(diff("responses", before, after), {
    comparable: true, protocol: "responses", tools: [], system: [], messages: [{ kind: "added", after: 1, value: item }],
    parameters: [{ name: "reasoning", after: { effort: "high" } }],
    prefix: { tools: 0, system: 1, messages: 1, breaksAt: null },
  });
});

test("another model shares no cache; a tool more breaks before the messages", () => {
  const before = { model: "m", messages: [user("a")], tools: [bash] };
  const otherModel = diff("chat-completions", before, { ...before, model: "n" });
  assert.deepEqual(otherModel.comparable && [otherModel.parameters, otherModel.prefix], [
    [{ name: "model", before: "m", after: "n" }], { tools: 0, system: 0, messages: 0, breaksAt: { section: "model" } },
  ]);
  const oneMore = diff("chat-completions", before, { ...before, tools: [bash, read] });
  assert.deepEqual(oneMore.comparable && oneMore.prefix, { tools: 1, system: 0, messages: 0, breaksAt: { section: "tools", index: 1, path: "" } });
});

test("what can't be compared is said in one sentence", () => {
  const good = { protocol: "messages", body: "{}" };
  const cases: [Parameters<typeof diffRequests>, string][] = [
    [[{ protocol: "responses", body: "{}" }, good], "the requests speak different protocols: responses and messages"],
    [[{ protocol: "models", body: "" }, { protocol: "models", body: "" }], "requests of models hold no messages to compare"],
    [[{ protocol: "messages", body: "{" }, good], "the earlier request's body is not a JSON object"],
    [[good, { protocol: "messages", body: "[1]" }], "the later request's body is not a JSON object"],
    [[{ protocol: "messages", body: "" }, { protocol: "messages", body: "null" }], "neither request's body is a JSON object"],
  ];
  for (const [[before, after], why] of cases) assert.deepEqual(diffRequests(before, after), { comparable: false, why });
  assert.deepEqual(diff("messages", {}, {}), {
    comparable: true, protocol: "messages", tools: [], system: [], messages: [], parameters: [], prefix: { tools: 0, system: 0, messages: 0, breaksAt: null },
  });
});

test("applying the changes to the earlier list gives the later one, and equal lists have none", () => {
  const items = fc.array(fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.constantFrom("a", "b", "c", "d") }, { noNullPrototype: true }), { maxLength: 12 });
  fc.assert(fc.property(items, items, (before, after) => {
    const elements = (list: unknown[]): Element[] => requestSections("messages", { messages: list }).messages;
    assert.deepEqual(diffSequence(elements(before), elements(before)), []);
    const changes = diffSequence(elements(before), elements(after));
    const gone = new Set(changes.flatMap((change) => (change.kind === "added" ? [] : [change.before])));
    const put = new Map(changes.flatMap((change): [number, unknown][] =>
      change.kind === "removed" ? [] : [[change.after, change.kind === "added" ? change.value : change.to]]));
    const kept = before.filter((_, index) => !gone.has(index));
    const rebuilt = Array.from({ length: kept.length + put.size }, (_, index) => (put.has(index) ? put.get(index) : kept.shift()));
    assert.deepEqual(rebuilt, after);
  }));
});
