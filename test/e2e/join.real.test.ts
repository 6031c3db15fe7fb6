import assert from "node:assert/strict";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Call, BeeuniError } from "@beeuni/protocol";
import type { StateSnapshot } from "@beeuni/sdk";
import { beeuni } from "./support/cli.ts";
import { ModelServer, textOf, toolResults } from "./support/model-server.ts";
import { Place } from "./support/place.ts";
import { Server } from "./support/serve.ts";
import { promptOf, stateWhen, turn } from "./support/session.ts";

/** What happens in each session, turn by turn; the number in front is in the prompt and so in every request of the turn. */
const TURNS = [
  { script: "[[say: Looking.]] [[shell: echo one]] [[text: same words]]", outcome: "completed" },
  { script: "[[err: 429 x2 after 0]] [[text: after two refusals]]", outcome: "completed" },
  { script: `[[slow: 0.03]] [[text: ${"stopped while it is being said ".repeat(20)}]]`, stop: "in the text", outcome: "aborted" },
  { script: "[[slow: 60]] [[text: stopped when the answer's head is there and no word of it]]", stop: "before the text", outcome: "aborted" },
  { script: "[[text: same words]]", outcome: "completed" },
  { script: "[[text: same words]]", outcome: "completed" },
  { script: "[[say: twice]] [[shell: true]] [[say: twice]] [[shell: true]] [[text: twice]]", outcome: "completed" },
  { script: "[[cut: half of these words never comes]]", outcome: "failed" },
] as const;

/** The number of the call that produced a message, as the model's server saw it; null: none is said. */
type Join = (state: StateSnapshot, message: string, calls: readonly Call[]) => Promise<number | null> | number | null;

describe("the join of answers with model calls", () => {
  const sessions: { name: string; id: string; state: StateSnapshot; calls: Call[] }[] = [];
  let place: Place;
  let model: ModelServer;
  let same: Awaited<ReturnType<typeof startSameIds>>;
  let server: Server;

  before(async () => {
    place = new Place();
    model = await ModelServer.start();
    same = await startSameIds(model.url);
    place.configure({ up: model.provider, same: { baseUrl: same.url, models: ["demo"] } });
    server = await Server.start(place);
    // A: every response has an id of its own. B: all have one and the same.
    await Promise.all([["A", "up/demo"], ["B", "same/demo"]].map(([name, ref]) => run(name!, ref!)));
    sessions.sort((one, other) => (one.name < other.name ? -1 : 1));
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await same.close();
    await model[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  async function run(name: string, ref: string): Promise<void> {
    const { client } = server;
    const { id } = await client.sessions.create({ model: ref });
    for (const [number, step] of TURNS.entries()) {
      const text = `${name}#${number} ${step.script}`;
      if (!("stop" in step)) {
        assert.equal((await turn(client, id, text)).outcome, step.outcome, text);
        continue;
      }
      const { turn: started } = await client.sessions.prompt(id, promptOf(text));
      if (step.stop === "in the text") await stateWhen(client, id, ({ messages }) => messages.at(-1)!.parts.some((part) => part.type === "text" && part.text.startsWith("stopped while")));
      else {
        await model.until(({ requests }) => requests.some(({ body }) => marker(body.messages) === `${name}#${number}`));
        while ((await client.calls.list(id)).at(-1)?.status !== 200) await sleep(5);
      }
      await client.sessions.abort(id);
      const { turns } = await stateWhen(client, id, (state) => state.turns.some((one) => one.id === started && one.endedAt !== undefined));
      assert.equal(turns.at(-1)!.outcome, step.outcome, text);
    }
    sessions.push({ name, id, state: await client.sessions.state(id), calls: await client.calls.list(id) });
  }

  /** What the model's server saw: the n-th request of a session is its call n. The truth about each assistant message. */
  function truth(name: string, state: StateSnapshot): Map<string, number> {
    const seen = model.requests.filter(({ body }) => marker(body.messages)?.startsWith(`${name}#`)).map(({ body }) => `${marker(body.messages)}/${toolResults(body).length}`);
    const found = new Map<string, number>();
    const used = new Map<string, number>();
    for (const { info } of state.messages) {
      if (info.role !== "assistant") continue;
      const prompt = state.messages.find((message) => message.info.role === "user" && message.info.turn === info.turn)!;
      const earlier = state.messages.filter((message) => message.info.turn === info.turn && message.info.id < info.id);
      const results = earlier.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool")).length;
      const number = marker([{ role: "user", content: prompt.parts.map((part) => (part.type === "text" ? part.text : "")).join("") }])!;
      const key = `${number}/${results}`;
      const attempts = seen.flatMap((other, index) => (other === key ? [index] : []));
      // Of several requests for one answer: each that was cut showed its half, one that was refused showed nothing.
      const at = used.get(key) ?? 0;
      used.set(key, at + 1);
      found.set(info.id, number.endsWith("#1") ? attempts.at(-1)! : attempts[at]!);
    }
    return found;
  }

  /** The check: for every assistant message the join says the call that it came from, or that it is unknown. */
  async function checkJoin(join: Join): Promise<{ [session: string]: string[] }> {
    const unknown: { [session: string]: string[] } = {};
    for (const { name, state, calls } of sessions) {
      unknown[name] = [];
      for (const [message, number] of truth(name, state)) {
        const said = await join(state, message, calls);
        if (said === null) unknown[name].push(`${name} call ${number}`);
        else assert.equal(said, number, `session ${name}, the message of call ${number}`);
      }
    }
    return unknown;
  }

  test("the recorded session is what it should be: every kind of call is there", () => {
    for (const { name, state, calls } of sessions) {
      assert.deepEqual(calls.map(({ status, end }) => `${status} ${end}`), [
        "200 complete", "200 complete", "429 complete", "429 complete", "200 complete", "200 aborted", "200 aborted", "200 complete", "200 complete",
        "200 complete", "200 complete", "200 complete", "200 cut", "200 cut", "200 cut",
      ], name);
      assert.equal(truth(name, state).size, 12);
    }
  });

  test("the call of every message and of every part is right, or said to be unknown", async () => {
    const { client } = server;
    const numberOf = async (id: string): Promise<number | null> => {
      try {
        return (await client.calls.get(id)).number;
      } catch (thrown) {
        if (thrown instanceof BeeuniError && thrown.code === "call_not_found" && thrown.message.startsWith(`the call of ${id} is unknown: `)) return null;
        throw thrown;
      }
    };
    const unknown = await checkJoin(async (state, message) => {
      const { parts } = state.messages.find(({ info }) => info.id === message)!;
      const said = await Promise.all([message, ...parts.map(({ id }) => id)].map(numberOf));
      assert.equal(new Set(said).size, 1, "a message and its parts have one call");
      return said[0]!;
    });
    // Where ids say nothing and the same words came several times in one turn, nothing is guessed.
    assert.deepEqual(unknown, { A: [], B: ["B call 11", "B call 12", "B call 13", "B call 14"] });
  });

  test("`call show <part id>` says the same", async () => {
    const [a, b] = sessions as [(typeof sessions)[number], (typeof sessions)[number]];
    const partOf = ({ name, state }: typeof a, call: number): string => {
      const message = [...truth(name, state)].find(([, number]) => number === call)![0];
      return state.messages.find(({ info }) => info.id === message)!.parts.at(-1)!.id;
    };
    const shown = async (part: string): Promise<unknown> => {
      const { code, stdout, stderr } = await beeuni(place, ["call", "show", part, "--json"]);
      if (code !== 0) return [code, stderr.replace(part, "PART")];
      const { session, number, status, end } = JSON.parse(stdout) as Call;
      return [session, number, `${status} ${end}`];
    };
    const wanted: [string, unknown][] = [
      [partOf(a, 0), [a.id, 0, "200 complete"]], [partOf(a, 4), [a.id, 4, "200 complete"]], [partOf(a, 5), [a.id, 5, "200 aborted"]],
      [partOf(a, 8), [a.id, 8, "200 complete"]], [partOf(a, 13), [a.id, 13, "200 cut"]],
      [partOf(b, 4), [b.id, 4, "200 complete"]], [partOf(b, 8), [b.id, 8, "200 complete"]],
      [partOf(b, 11), [4, '{"code":"call_not_found","error":"the call of PART is unknown: response id chatcmpl-same is in calls #0, #1, #4, #5, #6, #7, #8, #9, #10, #11, #12, #13, #14; its text is in calls #9, #10, #11 of its turn"}\n']],
    ];
    for (let at = 0; at < wanted.length; at += 2) {
      const pair = wanted.slice(at, at + 2);
      assert.deepEqual(await Promise.all(pair.map(([part]) => shown(part))), pair.map(([, answer]) => answer));
    }
  });

  const nth = (state: StateSnapshot, message: string): number => state.messages.filter(({ info }) => info.role === "assistant").findIndex(({ info }) => info.id === message);
  const controls: { [name: string]: Join } = {
    "by order": (state, message, calls) => calls[nth(state, message)]?.number ?? null,
    "by order of the calls that were answered": (state, message, calls) => calls.filter(({ status }) => status === 200)[nth(state, message)]?.number ?? null,
    "by the text alone": (state, message, calls) => {
      const texts = (id: string): string => state.messages.find(({ info }) => info.id === id)!.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      return calls.find(({ links }) => links.some((link) => texts(link.message) === texts(message)))?.number ?? null;
    },
  };
  for (const [name, join] of Object.entries(controls)) {
    test(`control: a join ${name} fails the same check`, async () => {
      await assert.rejects(checkJoin(join), /session [AB], the message of call/);
    });
  }
});

/** `A#3` of the last prompt. */
function marker(messages: { role: string; content: string | { text?: string }[] | null }[]): string | undefined {
  return messages.filter(({ role }) => role === "user").map((message) => /^([AB]#\d+) /.exec(textOf(message as Parameters<typeof textOf>[0]))?.[1]).findLast((found) => found !== undefined);
}

/** In front of the model's server: gives every response the same id, as some providers do. */
async function startSameIds(target: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const outgoing = httpRequest(`${target}${request.url!.slice("/v1".length)}`, { method: "POST", headers: { ...request.headers, "content-length": body.length } }, (answer) => {
      const { "content-length": _length, "transfer-encoding": _coding, ...headers } = answer.headers;
      response.writeHead(answer.statusCode!, headers).flushHeaders();
      answer.on("data", (chunk: Buffer) => response.write(chunk.toString().replace(/"id":"chatcmpl-[0-9a-f]+"/g, '"id":"chatcmpl-same"'))).on("end", () => response.end()).on("error", () => response.destroy());
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    outgoing.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}
