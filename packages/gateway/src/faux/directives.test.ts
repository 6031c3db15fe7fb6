import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScript, type Step, type StepKind } from "./directives.ts";

const plain = { pause: 0, say: "", think: "" };
const step = (kind: StepKind, modifiers: Partial<Step> = {}): Step => ({ ...plain, ...modifiers, ...kind }) as Step;
const steps = (text: string) => parseScript(text)?.steps;

test("each directive is a step", () => {
  assert.deepEqual(parseScript('Do [[shell: ls -l | wc]] and [[tool read {"path":"a"}]], [[text: bye]] [[hang]] [[cut: half]]'), {
    pause: 0,
    steps: [
      step({ kind: "shell", command: "ls -l | wc", forced: false }),
      step({ kind: "tools", calls: [{ name: "read", input: { path: "a" } }], forced: false }),
      step({ kind: "text", text: "bye" }),
      step({ kind: "hang" }),
      step({ kind: "cut", text: "half" }),
    ],
  });
});

test("several calls stand in one step, with and without arguments", () => {
  assert.deepEqual(steps('[[tools: a {"x":";]]"} ; mcp__b.c-d;e {"y":[[1,[2]]]}]]'), [
    step({ kind: "tools", calls: [{ name: "a", input: { x: ";]]" } }, { name: "mcp__b.c-d", input: {} }, { name: "e", input: { y: [[1, [2]]] } }], forced: false }),
  ]);
  assert.deepEqual(steps("[[tool! question]] [[shell!: id]]"), [
    step({ kind: "tools", calls: [{ name: "question", input: {} }], forced: true }),
    step({ kind: "shell", command: "id", forced: true }),
  ]);
});

test("slow changes all later steps, say and think the next one", () => {
  assert.deepEqual(parseScript("[[text: a]] [[slow: 0.5]] [[think: hm]] [[say: well, ]] [[shell: ls]] [[text: b]]"), {
    pause: 0.5,
    steps: [
      step({ kind: "text", text: "a" }),
      step({ kind: "shell", command: "ls", forced: false }, { pause: 0.5, say: "well, ", think: "hm" }),
      step({ kind: "text", text: "b" }, { pause: 0.5 }),
    ],
  });
  assert.deepEqual(parseScript("[[slow: 2]]"), { pause: 2, steps: [] });
});

test("errors say how often and when to come again", () => {
  const error = (status: number, times: number | null, retryAfter: number | null) => step({ kind: "error", status, times, retryAfter, message: `scripted error ${status}` });
  assert.deepEqual(steps("[[err: 429]] [[err: 500]] [[err 503 x2]] [[err: 429 x1 after 0]] [[err: 401 after 2.5]]"), [
    error(429, null, 1), error(500, null, null), error(503, 2, 1), error(429, 1, 0), error(401, null, 2.5),
  ]);
});

test("a directive that can't be read says so", () => {
  const bad = (directive: string) => step({ kind: "error", status: 400, times: null, retryAfter: null, message: `the script has a directive that can't be read: ${directive}` });
  assert.deepEqual(steps("[[err: soon]]"), [bad("[[err: soon]]")]);
  assert.deepEqual(steps("[[tool]]"), [bad("[[tool ]]")]);
  assert.deepEqual(steps('[[tool read {"path":}]]'), [bad('[[tool read {"path":}]]')]);
  assert.deepEqual(steps('[[tool read {"path": "a]]'), [bad('[[tool read {"path": "a]]')]);
});

test("brackets of shell code and of texts stay whole", () => {
  assert.deepEqual(steps("[[shell: if [[ -f a ]]; then echo ${b[0]}; fi]]"), [step({ kind: "shell", command: "if [[ -f a ]]; then echo ${b[0]}; fi", forced: false })]);
  assert.deepEqual(steps("[[text: a[0]]]"), [step({ kind: "text", text: "a[0]" })]);
  assert.deepEqual(steps("[[text: open [[ only]] rest"), [step({ kind: "text", text: "open [[ only" })]);
  assert.deepEqual(steps("[[text: one\ntwo ]]"), [step({ kind: "text", text: "one\ntwo " })]);
});

test("a text without directives has no script", () => {
  for (const text of ["", "What is in this folder?", "a [[link]] and [[ -f x ]]", "[[textual: no]]", "[[text: never closed"]) assert.equal(parseScript(text), null, text);
});
