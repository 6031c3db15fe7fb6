import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent, StreamEvent } from "@beeuni/transcript";
import { MemoryLog } from "../testing/memory-log.ts";
import { EventHub } from "./event-hub.ts";

const SESSION = "ses_1";

function notice(message: string): NewEvent {
  return { type: "session.notice", session: SESSION, level: "info", code: "test", message };
}

function text(id: string, content: string, endedAt?: number): NewEvent {
  return {
    type: "part.updated", session: SESSION,
    part: { id, session: SESSION, message: "msg_1", type: "text", text: content, startedAt: 1, ...(endedAt === undefined ? {} : { endedAt }) },
  };
}

/** What listeners saw, short. */
function seen(hub: EventHub): string[] {
  const list: string[] = [];
  hub.subscribe({ event: (event) => list.push(short(event)) });
  return list;
}

function short(event: StreamEvent): string {
  switch (event.type) {
    case "part.delta": return `delta ${event.part}@${event.offset} ${event.delta}`;
    case "part.updated": return `part ${event.part.id} ${event.part.type === "text" ? event.part.text : ""}`;
    case "part.snapshot": return `snapshot ${event.part} ${event.text}`;
    case "session.notice": return event.message;
    default: return event.type;
  }
}

test("an event is shown when it is on the disk, and not before", () => {
  const log = new MemoryLog();
  const hub = new EventHub(log);
  const list = seen(hub);
  log.append(notice("one"), notice("two"));
  assert.deepEqual(list, []);
  log.sync(1);
  assert.deepEqual([list, hub.delivered], [["one"], 1]);
  log.sync();
  assert.deepEqual([list, hub.delivered], [["one", "two"], 2]);
});

test("a delta goes out at once when its part is on the disk, whatever else is being written", () => {
  const log = new MemoryLog();
  const hub = new EventHub(log);
  const list = seen(hub);
  hub.begin(SESSION, "prt_1", log.append(text("prt_1", ""))[0]!.seq);
  log.sync();
  log.append(notice("later"));
  hub.delta("prt_1", "a");
  hub.delta("prt_1", "b");
  assert.deepEqual(list, ["part prt_1 ", "delta prt_1@0 a", "delta prt_1@1 b"]);
});

test("deltas of a part that is not on the disk yet wait for it and stay between it and what follows", () => {
  const log = new MemoryLog();
  const hub = new EventHub(log);
  const list = seen(hub);
  hub.begin(SESSION, "prt_1", log.append(text("prt_1", ""))[0]!.seq);
  hub.delta("prt_1", "a");
  hub.delta("prt_1", "b");
  log.append(text("prt_1", "ab", 2), notice("after"));
  assert.deepEqual(list, []);
  log.sync();
  assert.deepEqual(list, ["part prt_1 ", "delta prt_1@0 a", "delta prt_1@1 b", "part prt_1 ab", "after"]);
  assert.deepEqual(hub.streamed(), []);
});

test("a snapshot that is being written holds the part's newer deltas back: it never takes text away", () => {
  const log = new MemoryLog();
  const hub = new EventHub(log);
  hub.begin(SESSION, "prt_1", log.append(text("prt_1", ""))[0]!.seq);
  log.sync();
  hub.delta("prt_1", "ab");
  const list = seen(hub);
  hub.snapshot("prt_1", log.append({ type: "part.snapshot", session: SESSION, part: "prt_1", text: hub.textOf("prt_1")! })[0]!.seq);
  hub.delta("prt_1", "c");
  assert.deepEqual(list, []);
  log.sync();
  assert.deepEqual(list, ["snapshot prt_1 ab", "delta prt_1@2 c"]);
});

test("text that a snapshot brought is not sent again as a delta", () => {
  const log = new MemoryLog();
  const hub = new EventHub(log);
  const list = seen(hub);
  hub.begin(SESSION, "prt_1", log.append(text("prt_1", ""))[0]!.seq);
  hub.delta("prt_1", "ab");
  hub.snapshot("prt_1", log.append({ type: "part.snapshot", session: SESSION, part: "prt_1", text: "ab" })[0]!.seq);
  hub.delta("prt_1", "c");
  log.sync();
  assert.deepEqual(list, ["part prt_1 ", "snapshot prt_1 ab", "delta prt_1@2 c"]);
});

test("a newcomer is told the text that others have been given", () => {
  const log = new MemoryLog();
  const hub = new EventHub(log);
  hub.begin(SESSION, "prt_1", log.append(text("prt_1", ""))[0]!.seq);
  hub.delta("prt_1", "not yet");
  assert.deepEqual(hub.streamed(), []);
  log.sync();
  hub.snapshot("prt_1", log.append({ type: "part.snapshot", session: SESSION, part: "prt_1", text: "not yet" })[0]!.seq);
  hub.delta("prt_1", ", held");
  assert.deepEqual(hub.streamed(), [{ session: SESSION, part: "prt_1", text: "not yet" }]);
});
