import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Binding } from "./binding.ts";

const folder = mkdtempSync(join(tmpdir(), "beeuni-binding-"));
after(() => rmSync(folder, { recursive: true }));
const fresh = (): string => mkdtempSync(join(folder, "session-"));
const stored = (directory: string): unknown => JSON.parse(readFileSync(join(directory, "binding.json"), "utf8"));

test("keys and the native id are there again after a restart", async () => {
  const directory = fresh();
  const { binding, previous } = await Binding.open({ directory, harness: "one" });
  assert.equal(previous, null);
  binding.bindNative("native-1");
  binding.bindMessage("m1", "msg_1");
  binding.bindChild("c1", "ses_2");
  await binding.flush();
  assert.deepEqual(stored(directory), { version: 1, harness: "one", nativeId: "native-1", messages: { m1: "msg_1" }, children: { c1: "ses_2" } });
  assert.equal(statSync(join(directory, "binding.json")).mode & 0o777, 0o600);
  const again = (await Binding.open({ directory, harness: "one" })).binding;
  assert.deepEqual([again.nativeId, again.messageOf("m1"), again.childOf("c1"), again.messageOf("m2")], ["native-1", "msg_1", "ses_2", undefined]);
});

test("another native session clears what was bound to the old one; the same one does not", async () => {
  const directory = fresh();
  const { binding } = await Binding.open({ directory, harness: "one" });
  binding.bindNative("native-1");
  binding.bindMessage("m1", "msg_1");
  binding.bindNative("native-1");
  assert.equal(binding.messageOf("m1"), "msg_1");
  binding.bindNative("native-2");
  await binding.flush();
  assert.deepEqual(stored(directory), { version: 1, harness: "one", nativeId: "native-2", messages: {}, children: {} });
});

test("the binding of another harness is of no use, and is named", async () => {
  const directory = fresh();
  const { binding } = await Binding.open({ directory, harness: "one" });
  binding.bindNative("native-1");
  await binding.flush();
  const other = await Binding.open({ directory, harness: "two" });
  assert.deepEqual([other.previous, other.binding.nativeId], ["one", null]);
});

test("a damaged file counts as none", async () => {
  const directory = fresh();
  writeFileSync(join(directory, "binding.json"), '{"version":1,"harness":"one","nativeId":');
  const { binding, previous } = await Binding.open({ directory, harness: "one" });
  assert.deepEqual([previous, binding.nativeId], [null, null]);
});

test("a folder that can't be written is reported, and the session goes on", async () => {
  const directory = join(fresh(), "gone");
  const errors: string[] = [];
  const { binding } = await Binding.open({ directory, harness: "one", onError: (error) => errors.push((error as NodeJS.ErrnoException).code ?? "") });
  binding.bindNative("native-1");
  await binding.flush();
  assert.deepEqual([binding.nativeId, new Set(errors)], ["native-1", new Set(["ENOENT"])]);
});
