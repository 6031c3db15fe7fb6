import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type RawUpstream, startRawUpstream } from "@beeuni/gateway/testing";
import type { BeeuniClient, StateSnapshot } from "@beeuni/sdk";
import { Cli } from "./support/cli.ts";
import { openInProcess } from "./support/daemon.ts";
import { Place } from "./support/place.ts";
import { membersOf } from "./support/processes.ts";
import { chunked, chunks, streamHead, textBegun, toolEvents } from "./support/raw-answers.ts";
import { Server } from "./support/serve.ts";
import { conversation, promptOf, stateWhen } from "./support/session.ts";

/** Within this time the model's server must see that its client has left. Milliseconds. */
const LIMIT = 1000;

/** The first words of an answer that goes on. */
const PARTIAL = "These words stay";

interface Moment {
  name: string;
  /** What the provider has sent when the turn is stopped. */
  sends: Buffer;
  /** How the session shows it. */
  shown: string[];
}

const MOMENTS: readonly Moment[] = [
  { name: "before the first byte", sends: Buffer.alloc(0), shown: [] },
  { name: "in the stream", sends: Buffer.concat([streamHead(), chunks(Buffer.from(textBegun("r1", PARTIAL)), 100)]), shown: [`assistant: ${PARTIAL}`] },
  { name: "in an answer that comes whole", sends: Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"id":"r1","choices":['), shown: [] },
];

function resumeOf(stderr: string): string {
  return /beeuni run -r (ses_\w+)/.exec(stderr)![1]!;
}

/** A command that takes no notice of being asked to end, nor does its child. */
const STUBBORN = "trap '' INT TERM; echo $$ > pid; (trap '' INT TERM; sleep 300) & echo words of the command; while :; do sleep 300; done";

describe("stopping a turn", () => {
  let place: Place;
  let upstream: RawUpstream;
  let server: Server;
  /** What the next request is answered with. */
  let sends: Buffer = Buffer.alloc(0);

  before(async () => {
    place = new Place();
    upstream = await startRawUpstream((socket) => void socket.write(sends));
    place.configure({ up: { baseUrl: upstream.url, models: ["demo"] } });
    server = await Server.start(place);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  /** When the answer so far has reached the session: its words are shown, or (where none are) it is on record. */
  async function reached(client: BeeuniClient, session: string, { sends: bytes, shown }: Moment): Promise<void> {
    await upstream.nextRequest();
    if (shown.length > 0) await stateWhen(client, session, (state) => conversation(state as StateSnapshot).includes(shown[0]!));
    else if (bytes.length > 0) while ((await client.calls.list(session)).at(-1)?.status !== 200) await sleep(5);
  }

  /** The provider sees its client leave after `before`, in time. */
  async function departs(before: number, { name }: Moment): Promise<void> {
    const late = sleep(LIMIT, Infinity);
    let at: number;
    // Connections that earlier turns have left open until now don't count.
    do at = await Promise.race([upstream.nextDisconnect(), late]);
    while (at < before);
    assert.ok(at - before < LIMIT, `${name}: the provider's connection was still open after ${LIMIT} ms`);
  }

  /** The check, through the API: the provider sees the stop in time. Answers the session. */
  async function checkStop(client: BeeuniClient, moment: Moment): Promise<string> {
    sends = moment.sends;
    const { id } = await client.sessions.create();
    const { turn } = await client.sessions.prompt(id, promptOf("go"));
    await reached(client, id, moment);
    const before = performance.now();
    assert.equal(await client.sessions.abort(id), true);
    const acknowledged = performance.now() - before;
    await departs(before, moment);
    assert.ok(acknowledged < LIMIT, `the stop was acknowledged after ${Math.round(acknowledged)} ms`);
    await stateWhen(client, id, ({ turns }) => turns.some((one) => one.id === turn && one.endedAt !== undefined));
    return id;
  }

  for (const moment of MOMENTS) {
    test(`[H-035] through the API, ${moment.name}: the provider sees it within a second, what was said stays, the session is idle`, async () => {
      const id = await checkStop(server.client, moment);
      const state = await server.client.sessions.state(id);
      assert.deepEqual([state.status, state.turns.at(-1)?.outcome, conversation(state)], [{ type: "idle" }, "aborted", ["user: go", ...moment.shown]]);
      assert.deepEqual((await server.client.calls.list(id)).map(({ end, usage }) => [end, usage]), [["aborted", null]]);
    });
  }

  for (const moment of MOMENTS) {
    test(`Ctrl-C on \`beeuni run\`, ${moment.name}: the same, and exit code 130 with how to go on`, async () => {
      sends = moment.sends;
      await using cli = new Cli(place, ["run", "--model", "up/demo", "go"]);
      await upstream.nextRequest();
      await cli.until(({ stdout }) => stdout.includes(moment.shown.length > 0 ? PARTIAL : ""));
      // Where nothing shows yet the answer's first bytes are given the time to arrive.
      if (moment.shown.length === 0) await sleep(100);
      const before = performance.now();
      cli.kill("SIGINT");
      await departs(before, moment);
      const { code, stderr } = await cli.done;
      const id = resumeOf(stderr);
      assert.deepEqual([code, stderr.split("\n").slice(1)], [130, [
        "beeuni: stopping; Ctrl-C again leaves at once",
        "error: stopped; what was said until then is kept", `hint: go on with: beeuni run -r ${id}`, "",
      ]]);
      assert.deepEqual(conversation(await server.client.sessions.state(id)), ["user: go", ...moment.shown]);
    });
  }

  /** Starts a turn; answers what stops it, and waits for its end and answers the session. */
  const doors: { [name: string]: () => Promise<{ stop(): unknown; ended(): Promise<string> }> } = {
    "the API": async () => {
      const { id } = await server.client.sessions.create();
      await server.client.sessions.prompt(id, promptOf("go"));
      return {
        stop: () => server.client.sessions.abort(id),
        ended: async () => (await stateWhen(server.client, id, ({ status }) => status.type === "idle")).info.id,
      };
    },
    "Ctrl-C": async () => {
      const cli = new Cli(place, ["run", "--model", "up/demo", "go"]);
      return { stop: () => cli.kill("SIGINT"), ended: async () => resumeOf((await cli.done).stderr) };
    },
  };
  for (const [door, start] of Object.entries(doors)) {
    test(`a command that ignores INT and TERM is gone with its children, stopped through ${door}; its words stay`, async () => {
      rmSync(join(place.project, "pid"), { force: true });
      sends = Buffer.concat([streamHead(), chunked(Buffer.from(toolEvents("r2", `call_${door}`, "bash", { command: STUBBORN })), 100)]);
      const running = await start();
      while (!existsSync(join(place.project, "pid")) || readFileSync(join(place.project, "pid"), "utf8") === "") await sleep(10);
      const group = Number(readFileSync(join(place.project, "pid"), "utf8"));
      assert.ok(membersOf(group).length >= 2, "the command and its child run");
      const before = performance.now();
      await running.stop();
      const session = await running.ended();
      assert.ok(performance.now() - before < 2000, "the turn ends within two seconds");
      assert.deepEqual(membersOf(group), []);
      const state = await server.client.sessions.state(session);
      const part = state.messages.at(-1)!.parts.at(-1)!;
      assert.deepEqual(part.type === "tool" && part.state.status === "error" && [part.state.kind, part.state.metadata?.["output"]], ["aborted", "words of the command\n"]);
    });
  }

  test("control: with a harness that does not pass the stop on, the provider sees nothing and the check fails", async () => {
    await using open = await openInProcess(place, {
      abortGrace: 1500, closeGrace: 100,
      harness: (real) => ({ ...real, open: async (spec, host) => {
        const session = await real.open(spec, host);
        return new Proxy(session, { get: (target, name) => {
          if (name === "abort") return async () => {};
          const value = Reflect.get(target, name) as unknown;
          return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
        } });
      } }),
    });
    await assert.rejects(checkStop(open.client, MOMENTS[0]!), /before the first byte: the provider's connection was still open after 1000 ms/);
  });
});
