import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conversation, Reply, ToolSchema } from "./conversation.ts";
import { planReply } from "./plan.ts";

const BASH: ToolSchema = {
  name: "bash",
  parameters: { type: "object", properties: { command: { type: "string" }, description: { type: "string" }, timeout: { type: "integer", minimum: 5 } }, required: ["command", "description"] },
};
const READ: ToolSchema = { name: "read", parameters: { type: "object", properties: { path: { type: "string" }, mode: { enum: ["text", "raw"] }, limit: { type: "integer", minimum: 3 } }, required: ["path", "mode", "limit"] } };

type Turn = Conversation["turns"][number];
const user = (text: string): Turn => ({ role: "user", text });
const tool = (text: string): Turn => ({ role: "tool", text });
const assistant: Turn = { role: "assistant", text: "" };

const plan = (turns: Turn[], tools: ToolSchema[] = [READ, BASH], seen = 0) => planReply({ turns, tools }, () => seen);
const message = (text: string, calls: { name: string; arguments: string }[] = [], more: Partial<Extract<Reply, { kind: "message" }>> = {}): Reply =>
  ({ kind: "message", pause: 0, think: "", text, calls, cut: false, ...more });
const bash = (command: string) => ({ name: "bash", arguments: JSON.stringify({ command, description: "description" }) });

test("the tool results since the script say which step comes next", () => {
  const script = user('[[shell: one]] [[tool read {"path":"p"}]] [[text: bye]]');
  assert.deepEqual(plan([script]), message("", [bash("one")]));
  assert.deepEqual(plan([script, assistant, tool("1")]), message("", [{ name: "read", arguments: '{"path":"p","mode":"text","limit":3}' }]));
  assert.deepEqual(plan([script, assistant, tool("1"), assistant, tool("2")]), message("bye"));
  // Results before the script, and user messages without one, count for nothing.
  assert.deepEqual(plan([user("x"), assistant, tool("0"), script, assistant, tool("1"), user("<reminder>"), assistant, tool("2")]), message("bye"));
});

test("calls that were made together are one step", () => {
  const script = user("[[tools: read {\"path\":\"a\"} ; bash {\"command\":\"b\"}]] [[text: both]]");
  assert.deepEqual(plan([script]), message("", [{ name: "read", arguments: '{"path":"a","mode":"text","limit":3}' }, { name: "bash", arguments: '{"command":"b","description":"description"}' }]));
  assert.deepEqual(plan([script, assistant, tool("1"), tool("2")]), message("both"));
});

test("after the last step the last result is told", () => {
  assert.deepEqual(plan([user("[[shell: ls]]"), assistant, tool("a.txt\nb.txt\n")]), message("Done. The last tool returned:\n\n```\na.txt\nb.txt\n```"));
  assert.deepEqual(plan([user("[[slow: 3]]")]), message("Done.", [], { pause: 3 }));
});

test("a counted error is refused that often and then skipped", () => {
  const script = user("[[err: 429 x2]] [[text: at last]]");
  const refused: Reply = { kind: "error", status: 429, message: "scripted error 429", retryAfter: 1 };
  assert.deepEqual([0, 1, 2].map((seen) => plan([script], [BASH], seen)), [refused, refused, message("at last")]);
  const twice = user("[[err: 429 x1]] [[err: 500 x1]] [[text: at last]]");
  assert.deepEqual([0, 1, 2].map((seen) => plan([twice], [BASH], seen)), [refused, { ...refused, status: 500, message: "scripted error 500", retryAfter: null }, message("at last")]);
  assert.deepEqual(plan([user("[[err: 500]] [[text: never]]")], [BASH], 99), { kind: "error", status: 500, message: "scripted error 500", retryAfter: null });
});

test("say, think, slow, cut and hang shape the answer", () => {
  assert.deepEqual(plan([user("[[slow: 2]] [[think: hm]] [[say: Look: ]] [[shell: ls]]")]), message("Look: ", [bash("ls")], { pause: 2, think: "hm" }));
  assert.deepEqual(plan([user("[[cut: half of this]]")]), message("half of this", [], { cut: true }));
  assert.deepEqual(plan([user("[[hang]]")]), { kind: "hang" });
});

test("a request without tools gets plain text, unless a call is forced", () => {
  const script = user("[[shell: rm x]] [[text: said]]");
  assert.deepEqual(plan([script], []), message("said"));
  assert.deepEqual(plan([user("[[shell: rm x]]"), assistant], []), message("I am faux/demo, a scripted stand-in: no model was asked. Choose a real one with --model. I was given no tools, so I can only talk."));
  assert.deepEqual(plan([{ role: "system", text: "You write a title for a conversation." }, script], []), message("said"));
  assert.deepEqual(plan([{ role: "system", text: "You write a title for a conversation." }, user("[[shell: x]]")], []), message("A scripted conversation"));
  assert.deepEqual(plan([user('[[tool! bash {"command":"x"}]]')], []), message("", [{ name: "bash", arguments: '{"command":"x"}' }]));
  assert.deepEqual(planReply({ turns: [user("x")], tools: [], json: { type: "object", properties: { a: { type: "array", items: { type: "null" }, minItems: 1 }, b: {} }, required: ["a"] } }, () => 0), message('{"a":[null]}'));
  // A step that has its result was taken when there were tools.
  assert.deepEqual(plan([user("[[shell: a]] [[shell! b]]"), assistant, tool("1")], []), message("", [{ name: "bash", arguments: '{"command":"b"}' }]));
});

test("tools that the request does not offer are called all the same, and a missing shell is said", () => {
  assert.deepEqual(plan([user("[[tool hidden]]")]), message("", [{ name: "hidden", arguments: "{}" }]));
  assert.deepEqual(plan([user("[[shell: ls]]")], [READ]), { kind: "error", status: 400, message: '[[shell]]: no tool of this request takes a "command"; its tools: read', retryAfter: null });
});

test("the shell is known by its schema, also when its command is a list", () => {
  const shell: ToolSchema = { name: "local_shell", parameters: { properties: { command: { type: "array", items: { type: "string" } } } } };
  assert.deepEqual(plan([user("[[shell: ls]]")], [READ, shell]), message("", [{ name: "local_shell", arguments: '{"command":["bash","-lc","ls"]}' }]));
});

test("without a script it looks around once and tells what it saw", () => {
  const question = user("What is in this folder?");
  assert.deepEqual(plan([question]), message("Let me look. ", [bash("ls")]));
  const answer = plan([question, assistant, tool("README.md\nsrc\n")]);
  assert.deepEqual(answer, message("I ran `ls` and this came back:\n\n```\nREADME.md\nsrc\n```\n\nI am faux/demo, a scripted stand-in: no model was asked. Choose a real one with --model."));
  // The next prompt begins anew.
  assert.deepEqual(plan([question, assistant, tool("x"), assistant, user("And now?")]), message("Let me look. ", [bash("ls")]));
});
