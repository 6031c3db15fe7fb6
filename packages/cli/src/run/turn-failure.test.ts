import assert from "node:assert/strict";
import { test } from "node:test";
import type { TurnInfo } from "@beeuni/protocol";
import { turnFailure } from "./turn-failure.ts";

const resume = "beeuni run -r ses_1";
const turn = (end: Partial<TurnInfo>): TurnInfo => ({ id: "trn_1", session: "ses_1", origin: "user", agent: "build", model: { provider: "acme", id: "m" }, startedAt: 0, ...end });
const failed = (code: string, message = "no") => turn({ outcome: "failed", error: { code, message } });

test("only a completed turn is a success", () => {
  assert.equal(turnFailure(turn({ outcome: "completed" }), resume), undefined);
  for (const [end, exit] of [[{ outcome: "failed" }, 1], [{ outcome: "aborted" }, 130], [{ outcome: "interrupted" }, 1], [{}, 1]] as const) {
    assert.equal(turnFailure(turn(end), resume)?.exitCode, exit, JSON.stringify(end));
  }
});

test("each kind of failure says what to do", () => {
  const hints = Object.fromEntries(["auth", "rate_limit", "credits", "context_length", "output_length", "steps", "upstream", "harness", "something_new"].map((code) => [code, turnFailure(failed(code), resume)?.hint]));
  assert.deepEqual(hints, {
    auth: "check the key of acme: beeuni doctor shows which variables and files were read",
    rate_limit: "wait a little, then go on with: beeuni run -r ses_1",
    credits: "the account at acme has no credit left; add some, or go on with another --model",
    context_length: "the conversation is longer than the model reads; start a new session, or go on with a --model that reads more",
    output_length: "the answer was longer than the model may write; ask for less at once",
    steps: "raise `steps` in the agent's file, or go on with: beeuni run -r ses_1",
    upstream: "acme failed or broke off (beeuni call ls shows the exchange); try again with: beeuni run -r ses_1",
    harness: "beeuni doctor checks the harness; go on with: beeuni run -r ses_1",
    something_new: "look at the exchange with the model: beeuni call ls",
  });
});
