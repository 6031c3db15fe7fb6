import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { isDead, ownIdentity } from "./process-identity.ts";

const [pid, started, scope] = ownIdentity().split("-") as [string, string, string];

test("a running process is not dead; a process that ended is", async () => {
  assert.equal(isDead(ownIdentity()), false);
  const child = spawn(process.execPath, ["-e", ""]);
  const identity = `${child.pid}-${started}-${scope}`;
  await once(child, "exit");
  assert.equal(isDead(identity), true);
});

test("a pid that was used again does not count as the same process, where start times are known", () => {
  assert.equal(isDead(`${pid}-${Number(started) + 1}-${scope}`), started !== "0");
});

test("what can't be known is not dead; what names nobody is", () => {
  assert.equal(isDead(`${pid}-${started}-elsewhere`), false);
  assert.equal(isDead("nonsense"), true);
});
