import assert from "node:assert/strict";
import { test } from "node:test";
import { openGateway, type OpenGateway } from "../testing/open-gateway.ts";
import { pieces } from "./pieces.ts";

type Body = { [key: string]: unknown };

async function ask(open: OpenGateway, prompt: string, more: Body = {}): Promise<Response> {
  return fetch(`${open.base}/chat/completions`, { method: "POST", body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: prompt }], ...more }) });
}

test("a text is streamed in several pieces, split inside words and never inside characters", () => {
  for (const text of ["Hello world", "🙂".repeat(30), "größe 世界", "x".repeat(100_000)]) {
    const parts = pieces(text);
    assert.equal(parts.join(""), text);
    assert.ok(parts.length >= 2 && parts.length <= 500, `${parts.length}`);
    for (const part of parts) assert.equal(part.isWellFormed(), true);
  }
  assert.deepEqual(pieces("What a wonderful world"), ["Wha", "t a wo", "nd", "erful", " wor", "ld"]);
  assert.deepEqual(pieces(""), []);
});

test("a whole answer has the shape, the usage and an id of its own", async () => {
  await using open = await openGateway([]);
  const first = await (await ask(open, "[[text: Hello there]]")).json() as Body;
  const { id, created, ...rest } = first;
  assert.match(id as string, /^chatcmpl-[0-9a-f]{30}$/);
  assert.ok(Math.abs((created as number) * 1000 - Date.now()) < 60_000);
  assert.deepEqual(rest, {
    object: "chat.completion", model: "demo", system_fingerprint: "fp_faux",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello there", refusal: null }, logprobs: null, finish_reason: "stop" }],
    usage: { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23, prompt_tokens_details: { cached_tokens: 0 }, completion_tokens_details: { reasoning_tokens: 0 } },
  });
  assert.notEqual(((await (await ask(open, "[[text: Hello there]]")).json()) as Body)["id"], id);
});

test("a stream carries usage only when it is asked for", async () => {
  await using open = await openGateway([]);
  const events = async (more: Body) => (await (await ask(open, "[[text: Hello there]]", { stream: true, ...more })).text()).trim().split("\n\n");
  const bare = await events({});
  assert.deepEqual([bare.length, bare.some((event) => event.includes("usage")), bare.at(-1)], [6, false, "data: [DONE]"]);
  const counted = (await events({ stream_options: { include_usage: true } })).slice(0, -1).map((event) => JSON.parse(event.slice("data: ".length)) as { usage: Body | null; choices: Body[] });
  assert.deepEqual(counted.map(({ usage }) => usage === null), [true, true, true, true, true, false]);
  assert.deepEqual([counted.at(-1)!.choices, counted.at(-1)!.usage!["completion_tokens"]], [[], 3]);
});

test("each event of a stream is a chunk of its own in the trace", async () => {
  await using open = await openGateway([]);
  const text = await (await ask(open, "[[text: Hello there]]", { stream: true })).text();
  const call = await open.trace.ended(0);
  assert.deepEqual(
    { response: call.response.toString(), chunks: call.chunks, end: call.end, routes: call.routes },
    { response: text, chunks: 6, end: "complete", routes: [{ provider: "faux", upstream: "in-process:faux/chat/completions", model: "demo" }] },
  );
});

test("scripted errors carry their status and when to come again", async () => {
  await using open = await openGateway([]);
  const limited = await ask(open, "[[err: 429]]");
  assert.deepEqual([limited.status, limited.headers.get("retry-after"), await limited.json()], [429, "1", { error: { message: "scripted error 429", type: "rate_limit_error", param: null, code: "faux_429" } }]);
  const broken = await ask(open, "[[err: 500]]");
  assert.deepEqual([broken.status, broken.headers.get("retry-after")], [500, null]);
  // Counted for each principal and request alone.
  const statuses = async (prompt: string) => (await ask(open, prompt)).status;
  assert.deepEqual([await statuses("[[err: 503 x1]] a"), await statuses("[[err: 503 x1]] b"), await statuses("[[err: 503 x1]] a"), await statuses("[[err: 503 x1]] a")], [503, 503, 200, 200]);
});

test("a request that is not a chat is a 400 that says why", async () => {
  await using open = await openGateway([]);
  const response = await fetch(`${open.base}/chat/completions`, { method: "POST", body: '{"model":"demo","messages":[],"stream":1}' });
  assert.equal(response.status, 400);
  assert.deepEqual(((await response.json()) as { error: Body }).error["message"], "messages: must hold at least one message; stream: Invalid input: expected boolean, received number");
});

test("a scripted cut ends the connection inside the answer", async () => {
  await using open = await openGateway([]);
  for (const [number, stream] of [true, false].entries()) {
    const response = await ask(open, "[[cut: this text is never whole]]", { stream });
    await assert.rejects(response.text());
    const call = await open.trace.ended(number);
    assert.deepEqual([call.end, call.error, call.response.length > 0], ["cut", "scripted cut", true]);
  }
});

test("slow waits between the chunks", async () => {
  await using open = await openGateway([]);
  const started = performance.now();
  await (await ask(open, "[[slow: 0.02]] [[text: Hello there]]", { stream: true })).text();
  assert.ok(performance.now() - started >= 75);
});
