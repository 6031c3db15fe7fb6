import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createClient, foldItem, type StreamItem } from "@beeuni/sdk";
import { deltaFit, EMPTY_TREE, type SessionState, type TreeState } from "@beeuni/transcript";
import { type DroppingFetch, droppingFetch } from "./support/dropping-fetch.ts";
import { Place } from "./support/place.ts";
import { Server } from "./support/serve.ts";
import { promptOf } from "./support/session.ts";

const WORDS = "Zwölf Boxkämpfer jagen 世界 quer über den Deich 🙂, und ".repeat(9);
const SCRIPT = `[[slow: 0.01]] [[think: ${WORDS}]] [[say: ${WORDS}]] [[shell: for i in 1 2 3; do echo $i; sleep 0.1; done]] [[text: ${WORDS.repeat(2)}]]`;

/** A client's way to take an item. */
type Fold = (tree: TreeState, item: StreamItem) => TreeState;

/** What one client saw of the session. */
interface Watched {
  end: SessionState;
  /** Every text that it showed for a part, in order. */
  texts: Map<string, string[]>;
}

describe("a client that loses its connection", () => {
  let place: Place;
  let server: Server;
  before(async () => {
    place = new Place();
    server = await Server.start(place, ["--model", "faux/demo"]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  /** Follows a session until its turn has ended. */
  async function follow(session: string, net: DroppingFetch | undefined, fold: Fold): Promise<Watched> {
    const client = createClient({ url: server.url, token: server.token, ...(net === undefined ? {} : { fetch: net.fetch }) });
    const stream = client.events({ session });
    const texts = new Map<string, string[]>();
    let tree = EMPTY_TREE;
    for await (const item of stream) {
      // Text before it was lost with a connection: coming back brings the whole part.
      if (fold === foldItem && item.kind === "delta" && deltaFit(tree, item.event) === "gap") {
        stream.reconnect();
        continue;
      }
      tree = fold(tree, item);
      const state = tree.sessions[session];
      if (state === undefined) continue;
      for (const part of state.messages.flatMap(({ parts }) => parts)) {
        if (part.type !== "text" && part.type !== "reasoning") continue;
        const shown = texts.get(part.id) ?? [];
        if (shown.at(-1) !== part.text) texts.set(part.id, [...shown, part.text]);
      }
      if (state.turns[0]?.endedAt !== undefined) return { end: state, texts };
    }
    throw new Error("the stream ended");
  }

  /** The check: the same end as who never lost anything, and on the way no text that the part never had. */
  function checkSame({ end, texts }: Watched, steady: Watched): void {
    assert.deepEqual(end, steady.end);
    for (const part of end.messages.flatMap(({ parts }) => parts)) {
      if (part.type !== "text" && part.type !== "reasoning") continue;
      for (const text of texts.get(part.id) ?? []) assert.ok(part.text.startsWith(text), `a text was shown that the part never had: ${text}`);
    }
  }

  /** Text grows by whatever comes, wherever it belongs. */
  const offsetsIgnored: Fold = (tree, item) => {
    if (item.kind !== "delta") return foldItem(tree, item);
    const { session, part, delta } = item.event;
    const text = tree.sessions[session]?.messages.flatMap(({ parts }) => parts).find(({ id }) => id === part);
    if (text?.type !== "text" && text?.type !== "reasoning") return tree;
    return foldItem(tree, { kind: "event", event: { type: "part.snapshot", seq: 0, at: 0, session, part, text: text.text + delta } });
  };

  test("fifty times and more at random, with frames that come twice, it ends as one that never did; with offsets ignored the same check fails", async (t) => {
    const seed = Number(process.env["BEEUNI_TEST_SEED"] ?? Date.now() % 2 ** 31);
    t.diagnostic(`BEEUNI_TEST_SEED=${seed}`);
    const { id } = await server.client.sessions.create();
    const nets = [droppingFetch(randomOf(seed)), droppingFetch(randomOf(seed + 1))] as const;
    const following = Promise.all([follow(id, undefined, foldItem), follow(id, nets[0], foldItem), follow(id, nets[1], offsetsIgnored)]);
    const watching = lastOf(createClient({ url: server.url, token: server.token, fetch: nets[0].fetch }).watch(id));
    const { result } = await server.client.sessions.promptAndWait(id, promptOf(SCRIPT));
    const drops = nets.map((net) => net.drops);
    for (const net of nets) net.calm();
    const [steady, dropped, careless] = await following;

    assert.equal(result.outcome, "completed");
    assert.ok(drops.every((count) => count >= 50), `only ${drops.join(" and ")} connections were lost while the turn ran`);
    const { seq: _seq, epoch: _epoch, ...stored } = await server.client.sessions.state(id);
    assert.deepEqual(steady.end, stored);
    assert.ok([...steady.texts.values()].some((texts) => texts.length > 100), "the text streamed");
    checkSame(steady, steady);
    checkSame(dropped, steady);
    assert.deepEqual(await watching, stored);
    assert.throws(() => checkSame(careless, steady), /a text was shown that the part never had/);
  });
});

/** The state in which the turn has ended. */
async function lastOf(states: AsyncIterable<SessionState>): Promise<SessionState> {
  for await (const state of states) if (state.turns[0]?.endedAt !== undefined) return state;
  throw new Error("the stream ended");
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
