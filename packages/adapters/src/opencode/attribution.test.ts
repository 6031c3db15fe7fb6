import assert from "node:assert/strict";
import { test } from "node:test";
import { attribute } from "./attribution.ts";

const request = (headers: { [name: string]: string }): Parameters<typeof attribute>[0] =>
  ({ method: "POST", target: "/s/***/v1/chat/completions", protocol: "chat-completions", headers: Object.entries(headers), body: {} });

test("main loop, sub-agent, and what OpenCode calls models for by itself", () => {
  assert.deepEqual(attribute(request({ "X-Session-Id": "ses_1", "x-beeuni-agent": "main" })), { role: "main", agent: "main", nativeSession: "ses_1" });
  assert.deepEqual(attribute(request({ "x-session-id": "ses_2", "x-parent-session-id": "ses_1", "x-beeuni-agent": "m%C3%BCller" })), { role: "sub", agent: "müller", nativeSession: "ses_2" });
  for (const agent of ["title", "summary", "compaction"]) {
    assert.deepEqual(attribute(request({ "x-session-id": "ses_1", "x-beeuni-agent": agent })), { role: "utility", agent, nativeSession: "ses_1" });
  }
});

test("a project's agent of such a name is none of them; a request of another client is not known", () => {
  assert.equal(attribute(request({ "x-session-id": "ses_1", "x-beeuni-agent": "project-title" })).role, "main");
  assert.deepEqual(attribute(request({ "user-agent": "curl/8" })), { role: "unknown" });
  assert.deepEqual(attribute(request({ "x-session-id": "ses_1", "x-beeuni-agent": "%" })), { role: "main", nativeSession: "ses_1" });
});
