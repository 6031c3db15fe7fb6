import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { BeeuniError } from "@beeuni/protocol";
import { resolveSessionId, sessionIds } from "./resolve-id.ts";

const home = mkdtempSync(join(tmpdir(), "beeuni-ids-"));
after(() => rmSync(home, { recursive: true }));
const IDS = ["ses_1a2b3c4d5e6fAAAAAAAAAAAAAA", "ses_1a2b3c4d5e6fBBBBBBBBBBBBBB", "ses_9f9f9f9f9f9fCCCCCCCCCCCCCC"];
for (const name of [...IDS, "lost+found"]) mkdirSync(join(home, "sessions", name), { recursive: true });

const refusal = async (text: string): Promise<unknown> => {
  const error = await resolveSessionId(home, text).then(() => assert.fail("resolved"), (thrown: unknown) => thrown as BeeuniError);
  return error.toBody();
};

test("sessions are listed newest first; other folders are none", async () => {
  assert.deepEqual(await sessionIds(home), [...IDS].reverse());
  assert.deepEqual(await sessionIds(join(home, "nowhere")), []);
});

test("a whole id and an unambiguous beginning name a session", async () => {
  for (const text of [IDS[2]!, "ses_9f9f", "9f9f"]) assert.equal(await resolveSessionId(home, text), IDS[2]);
});

test("a beginning of several is refused with what it could mean", async () => {
  assert.deepEqual(await refusal("1a2b"), { code: "invalid_request", error: `several sessions begin with "1a2b": ${IDS[1]}, ${IDS[0]}`, hint: "give more of the id" });
});

test("an unknown id is refused with the ids near to it", async () => {
  assert.deepEqual(await refusal("ses_9f9e9f9f"), { code: "session_not_found", error: 'there is no session "ses_9f9e9f9f"', hint: `did you mean ${IDS[2]}?` });
  assert.deepEqual(await refusal("zzzzzzzz"), { code: "session_not_found", error: 'there is no session "zzzzzzzz"', hint: "`beeuni session ls` lists the sessions" });
  assert.deepEqual(await refusal("9"), { code: "session_not_found", error: 'there is no session "9"', hint: "`beeuni session ls` lists the sessions" });
});
