import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { prompt } from "@beeuni/conformance";
import { chunk, startChunkServer } from "./testing/chunk-server.ts";
import { PiKit, requestProblems, textOf } from "./testing/pi-kit.ts";

describe("a model call that fails", () => {
  test("401 and 400 fail the turn at once, with the provider's words", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open();
    assert.deepEqual(await pi.kit.turn(opened, "[[err: 401]]"), { outcome: "failed", error: { code: "auth", message: "scripted error 401", status: 401 } });
    assert.deepEqual(await pi.kit.turn(opened, "[[err: 400]]"), { outcome: "failed", error: { code: "unknown", message: "scripted error 400", status: 400 } });
    assert.equal(pi.requests.length, 2);
    assert.deepEqual(opened.host.of("message.end").map(({ usage, error }) => [usage, error?.code]), [[null, "auth"], [null, "unknown"]]);
  });

  test("429, 500 and an answer that breaks off are tried again, each retry is told, and none is shown as a success", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open();
    const { host } = opened;
    const turns: [string, string][] = [["[[err: 429]]", "rate_limit"], ["[[err: 500]]", "upstream"], ["[[text: these words never all arrive]]", "upstream"]];
    for (const [script, code] of turns) {
      if (script.includes("text")) for (let cuts = 0; cuts < 3; cuts++) pi.kit.wire.cut(4);
      const [requests, retries] = [pi.requests.length, host.of("retry").length];
      const end = await pi.kit.turn(opened, script);
      assert.deepEqual([end.outcome, end.error?.code], ["failed", code], script);
      assert.equal(pi.requests.length - requests, 3, `${script}: one try and two retries`);
      assert.deepEqual(host.of("retry").slice(retries).map(({ attempt }) => attempt), [1, 2]);
    }
    assert.ok(host.of("message.end").every(({ usage }) => usage === null));
    // What was shown of the broken answers stays.
    assert.equal(host.texts().length, 3);
    await pi.kit.completed(opened, "[[text: fine again]]");
    assert.deepEqual(pi.lastRequest.messages.map(({ role }) => role), ["system", "user", "user", "user", "user"]);
  });

  test("a failure that passes is a success, with its retry told", async () => {
    await using pi = await PiKit.start();
    const opened = await pi.open();
    await pi.kit.completed(opened, "[[shell: echo hi]] [[err: 503 x1]] [[text: there]]");
    assert.deepEqual(opened.host.of("retry").map(({ attempt, message }) => [attempt, message]), [[1, "scripted error 503"]]);
    assert.deepEqual(opened.host.results(), ["hi\n"]);
    assert.deepEqual(requestProblems(pi.lastRequest), []);
  });

  test("nobody answers at the address: failed, with what the system says", async () => {
    await using pi = await PiKit.start();
    const gone = await startChunkServer();
    await gone.close();
    const opened = await pi.open({ endpoint: { ...pi.kit.endpoint, root: `${gone.url}/s/none` } });
    const end = await pi.kit.turn(opened, "[[text: hello?]]");
    assert.equal(end.error?.code, "upstream");
    assert.match(end.error?.message ?? "", /ECONNREFUSED/);
  });

  test("an answer that was cut off at the output limit is no success", async () => {
    await using pi = await PiKit.start(() => startChunkServer([chunk({ content: "This is too l" }, "length")]));
    const opened = await pi.open();
    assert.equal((await pi.kit.turn(opened, "go")).error?.code, "output_length");
    assert.deepEqual(opened.host.texts(), ["This is too l"]);
  });

  test("a stream without an end is no success", async () => {
    await using pi = await PiKit.start(() => startChunkServer([chunk({ content: "and then" })]));
    const end = await pi.kit.turn(await pi.open(), "go");
    assert.deepEqual([end.outcome, end.error?.code], ["failed", "upstream"]);
  });
});

describe("a stop", () => {
  test("[H-035] ends a turn at every moment in well under a second, and the next turn works", async () => {
    await using pi = await PiKit.start();
    const asked = Promise.withResolvers<void>();
    const { session, host } = await pi.open({}, { authorize: async ({ tool }) => { if (tool === "read") { asked.resolve(); await new Promise(() => {}); } return { allow: true }; } });
    const moments: [string, string, () => Promise<unknown>][] = [
      ["at once", "[[text: never]]", async () => {}],
      ["before the first byte", "[[hang]]", () => pi.kit.wire.until("the request", (exchanges) => exchanges.at(-1)?.body.includes("[[hang]]") ?? false, 5_000)],
      ["in the answer", "[[slow: 0.02]] [[text: a b c d e f g h i j k l m n o p q r s t u v w x y z]]", () => next("part.delta")],
      ["in a command", "[[shell: trap '' INT TERM; echo x; sleep 300]]", () => next("tool.progress")],
      ["while a person is asked", '[[tool read {"path": "x"}]]', () => asked.promise],
      ["before a retry", "[[err: 500]]", () => next("retry")],
    ];
    const next = async (type: "part.delta" | "tool.progress" | "retry"): Promise<void> => {
      const before = host.of(type).length;
      await host.until(type, (seen) => seen.of(type).length > before);
    };
    for (const [moment, script, reached] of moments) {
      const turn = session.turn(prompt(script));
      await reached();
      const before = performance.now();
      await session.abort();
      const ms = performance.now() - before;
      assert.deepEqual(await turn, { outcome: "aborted" }, moment);
      assert.ok(ms < 700, `${moment}: the stop took ${Math.round(ms)} ms`);
      assert.deepEqual(await session.turn(prompt(`[[text: after ${moment}]]`)), { outcome: "completed" }, moment);
      assert.deepEqual(requestProblems(pi.lastRequest), [], moment);
    }
    assert.equal(textOf(pi.lastRequest.messages.at(-1)!), "[[text: after before a retry]]");
    await pi.kit.wire.until("hang up", (exchanges) => exchanges.filter(({ abandoned }) => abandoned).length >= 2, 1_000);
  });
});
