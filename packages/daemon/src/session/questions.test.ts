import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, ofType, openBench, text, turn, when } from "../testing/bench.ts";

const ASK = "ask Colour: Which one? | red | blue";

test("[H-052] a question blocks until it is answered, and the answer is the tool's result", async (t) => {
  const { daemon, checkpoints } = await openBench(t);
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text(ASK) });
  const { request } = await when(session, ofType("question.asked"));
  assert.deepEqual(request.questions, [{ question: "Which one?", header: "Colour", options: [{ label: "red", description: "" }, { label: "blue", description: "" }] }]);
  assert.deepEqual([session.state().questions, session.state().status.type], [[request], "busy"]);
  await assert.rejects(session.replyQuestion(request.id, []), { code: "invalid_request", message: "answers: 1 list is needed, one per question (got 0)" });
  await assert.rejects(session.replyQuestion(request.id, [["red", "blue"]]), { code: "invalid_request", message: 'answers[0]: "Colour" takes one answer' });
  await session.replyQuestion(request.id, [["blue"]]);
  assert.equal((await done).outcome, "completed");
  assert.equal(conversation(session).at(-1), "question completed: User answered:\nColour: blue");
  await assert.rejects(session.replyQuestion(request.id, [["red"]]), { code: "not_found" });
  assert.ok(checkpoints.includes("question-asked"));
});

test("a dismissed question is the tool's error", async (t) => {
  const { daemon } = await openBench(t);
  const session = await daemon.createSession({});
  const { done } = await session.prompt({ parts: text(ASK) });
  await session.rejectQuestion((await when(session, ofType("question.asked"))).request.id);
  await done;
  assert.equal(conversation(session).at(-1), "question rejected: The user dismissed the question.");
});

test("headless, a question is dismissed and that stands in the transcript", async (t) => {
  const { daemon } = await openBench(t, { headless: true });
  const session = await daemon.createSession({});
  const rejected = when(session, ofType("question.rejected"));
  await turn(session, ASK);
  assert.equal((await rejected).by, "headless");
  assert.equal(conversation(session).at(-1), "question rejected: The question was dismissed: nobody is there to answer it.");
});
