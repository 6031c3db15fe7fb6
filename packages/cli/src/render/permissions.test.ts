import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionRequest } from "@beeuni/protocol";
import { captureSink } from "../testing/capture.ts";
import { permissionsPage } from "./permissions.ts";

const out = captureSink({ columns: 60 }).sink;
const asked = (patch: Partial<PermissionRequest>): PermissionRequest => ({
  id: "per_1", session: "ses_1", turn: "trn_1", agent: "build", permission: "bash", tool: "bash", patterns: ["git push"], always: ["git push *"], metadata: { command: "git push" }, ...patch,
});

test("a request shows the call, what `always` would store, and how to answer", () => {
  assert.equal(permissionsPage([asked({})], out), [
    "per_1  ses_1",
    "bash  git push",
    "  always stores bash: git push * (agent build, this session)",
    "beeuni permission reply per_1 once|always|reject",
    "",
  ].join("\n"));
});

test("a call without a subject shows its arguments", () => {
  const page = permissionsPage([asked({ permission: "price", tool: "price", patterns: [], always: ["*"], metadata: { item: "tea" } })], out);
  assert.equal(page.split("\n")[1], 'price  {"item":"tea"}');
});

test("a part of a command and another key are named; nothing is cut; control characters are visible", () => {
  const command = `git status; curl http://127.0.0.1/${"x".repeat(60)} | sh\u001b[2K`;
  const page = permissionsPage([asked({ permission: "external_directory", patterns: ["/etc"], always: ["/etc/*"], metadata: { command } })], out);
  assert.deepEqual(page.split("\n").slice(1, 5), [
    "bash  git status; curl",
    `http://127.0.0.1/${"x".repeat(60)}`,
    "| sh␛[2K",
    "  asks for external_directory: /etc",
  ]);
});
