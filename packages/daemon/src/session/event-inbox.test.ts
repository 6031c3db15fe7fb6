import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as moment } from "node:timers/promises";
import type { HarnessEvent } from "@beeuni/harness";
import { EventInbox } from "./event-inbox.ts";

const notice = (message: string): HarnessEvent => ({ type: "notice", level: "info", code: "test", message });
const name = (event: HarnessEvent): string => (event.type === "notice" ? event.message : event.type);

test("events wait while something holds them, and keep their order", async () => {
  const list: string[] = [];
  const inbox = new EventInbox({ route: (event) => list.push(name(event)), isEarly: () => false });
  inbox.push(notice("one"));
  inbox.hold();
  inbox.push(notice("two"));
  inbox.push(notice("three"));
  let settled = false;
  const waiting = inbox.settled().then(() => (settled = true));
  await moment();
  assert.deepEqual([list, settled], [["one"], false]);
  inbox.release();
  await waiting;
  assert.deepEqual(list, ["one", "two", "three"]);
});

test("what routing one event holds, keeps the rest back", () => {
  const list: string[] = [];
  const inbox: EventInbox = new EventInbox({
    route: (event) => {
      list.push(name(event));
      if (name(event) === "end") inbox.hold();
    },
    isEarly: () => false,
  });
  for (const message of ["end", "next"]) inbox.push(notice(message));
  assert.deepEqual(list, ["end"]);
  inbox.release();
  assert.deepEqual(list, ["end", "next"]);
});

test("an early event waits for the end that is just being reported", async () => {
  const list: string[] = [];
  let running = true;
  const inbox = new EventInbox({ route: (event) => list.push(name(event)), isEarly: (event) => running && name(event) === "start" });
  // The harness resolves its promise and begins again in one go: the end is seen in a microtask.
  void Promise.resolve().then(() => inbox.hold());
  inbox.push(notice("start"));
  inbox.push(notice("text"));
  await moment();
  await moment();
  assert.deepEqual(list, []);
  running = false;
  inbox.release();
  assert.deepEqual(list, ["start", "text"]);
});

test("an early event with no end in sight is routed a moment later", async () => {
  const list: string[] = [];
  const inbox = new EventInbox({ route: (event) => list.push(name(event)), isEarly: (event) => name(event) === "start" });
  inbox.push(notice("start"));
  inbox.push(notice("text"));
  assert.deepEqual(list, []);
  await inbox.settled();
  assert.deepEqual(list, ["start", "text"]);
});
