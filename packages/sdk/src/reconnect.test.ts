import { createClient, foldItem, type StreamItem } from "@beeuni/sdk";
import { EMPTY_TREE, type LogEvent, type NewEvent, type StreamEvent, type TreeState } from "@beeuni/transcript";
import { eventsOf, legalSession, logEvents } from "@beeuni/transcript/testing";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ScriptedServer } from "./scripted-server.ts";

let server: ScriptedServer;
before(async () => { server = await ScriptedServer.start(); });
after(() => server.close());

const DROPS = 50;
const TEXT = "prt_long";
/** Comes after the last event. */
const LAST_WORD = "the end";

/** Numbers from 0 to below `limit`, the same for the same seed (a linear congruential generator). */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** A session with a text that grows between all its other events and has not ended when they have. */
function longSession(seed: number): StreamEvent[] {
  const number = random(seed);
  const steps = legalSession(Array.from({ length: 260 }, () => number(50_000)));
  const [created, opened, ...rest] = eventsOf(steps);
  const model = { provider: "faux", id: "demo" };
  const text: NewEvent[] = [
    { type: "message.created", session: "ses_root", message: { id: "msg_long", session: "ses_root", role: "assistant", turn: "trn_long", at: 1, agent: "build", model } },
    { type: "part.updated", session: "ses_root", part: { id: TEXT, session: "ses_root", message: "msg_long", type: "text", text: "", startedAt: 1 } },
  ];
  const events = logEvents([created!, opened!, ...text, ...rest, { type: "session.notice", session: "ses_root", level: "info", code: "end", message: "end" }]);
  const deltas = steps.flatMap((step) => ("delta" in step ? [step.delta] : [])).values();
  let length = 0;
  const stream = events.flatMap((event, index): StreamEvent[] => {
    if (index < 4) return [event];
    const delta = `${index} `.repeat(1 + number(3));
    length += delta.length;
    // A delta of the session's own text belongs before what the log says next.
    const own = index % 3 === 0 ? deltas.next().value : undefined;
    return [...(own === undefined ? [] : [own]), { type: "part.delta", session: "ses_root", part: TEXT, offset: length - delta.length, delta }, event];
  });
  return [...stream, { type: "part.delta", session: "ses_root", part: TEXT, offset: length, delta: LAST_WORD }];
}

type Fold = (state: TreeState, item: StreamItem) => TreeState;

/**
 * One client that is dropped 50 times while the session goes on, and one that never is: their states at the end, and
 * whether either ever showed a text that is not a beginning of the real one.
 */
async function follow(seed: number, fold: Fold): Promise<{ expected: TreeState; dropped: TreeState; steady: TreeState; cursors: readonly (string | null)[]; wasWrong: boolean }> {
  await server.close();
  server = await ScriptedServer.start();
  const number = random(seed);
  const steps = longSession(seed);
  const end = steps.filter((step): step is LogEvent => step.type !== "part.delta").at(-1)!.seq;
  let wasWrong = false;

  const client = async (name: string): Promise<TreeState> => {
    const named = createClient({ url: server.url, token: server.token, fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, "x-client": name } }) });
    let tree = EMPTY_TREE;
    for await (const item of named.events({ session: "ses_root" })) {
      tree = fold(tree, item);
      wasWrong ||= !textOf(server.tree).startsWith(textOf(tree));
      if (tree.seq === end && textOf(tree).endsWith(LAST_WORD)) break;
    }
    return tree;
  };
  const dropped = client("dropped");
  const steady = client("steady");
  await server.connected("steady");

  // In each stretch some steps come while the client is away, the others while it listens.
  const bound = (stretch: number): number => Math.floor((stretch * steps.length) / (DROPS + 1));
  for (let stretch = 0; stretch <= DROPS; stretch++) {
    const here = steps.slice(bound(stretch), bound(stretch + 1));
    const away = number(here.length);
    for (const [index, step] of here.entries()) {
      if (index === away) await server.connected("dropped");
      server.push(step);
      if (number(3) === 0) server.release();
      if (number(3) === 0) await new Promise(setImmediate);
    }
    await server.connected("dropped");
    if (stretch < DROPS) server.drop("dropped");
  }
  server.release();
  return { expected: server.tree, dropped: await dropped, steady: await steady, cursors: server.cursors, wasWrong };
}

function textOf(tree: TreeState): string {
  const part = tree.sessions["ses_root"]?.messages.find(({ info }) => info.id === "msg_long")?.parts[0];
  return part?.type === "text" ? part.text : "";
}

test("a client that is dropped 50 times ends with the state of one that never was; no delta counts twice", async () => {
  for (const seed of [1, 2]) {
    const { expected, dropped, steady, cursors, wasWrong } = await follow(seed, foldItem);
    assert.deepEqual(steady, expected);
    assert.deepEqual(dropped, expected);
    assert.equal(wasWrong, false);
    assert.equal(cursors.length, DROPS + 2);
    // Only the first connection of each begins at the beginning.
    assert.equal(cursors.filter((cursor) => cursor === null).length, 2);
  }
});

test("the control: without offsets, deltas count twice", async () => {
  const blind: Fold = (state, item) =>
    item.kind === "delta" && item.event.part === TEXT ? foldItem(state, { kind: "delta", event: { ...item.event, offset: textOf(state).length } }) : foldItem(state, item);
  const { wasWrong } = await follow(1, blind);
  assert.equal(wasWrong, true);
});
