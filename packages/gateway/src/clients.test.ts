import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
// The Messages client that most programs are built on: what it makes of our bytes is what counts.
import Anthropic from "@anthropic-ai/sdk";
// The same for Chat Completions and Responses.
import OpenAI from "openai";
import { createFauxServer } from "./faux/index.ts";
import { openGateway, testProvider, type OpenGateway } from "./testing/open-gateway.ts";

const fixture = (name: string) => fileURLToPath(new URL(`testing/fixtures/${name}`, import.meta.url));
const MESSAGES = [fixture("messages-1-tool-use.sse"), fixture("messages-2-text.sse")];
const RESPONSES = [fixture("responses-1-tool-call.sse"), fixture("responses-2-text.sse")];

const openai = (open: OpenGateway, maxRetries = 0) => new OpenAI({ baseURL: open.base, apiKey: "dummy", maxRetries });
const anthropic = (open: OpenGateway) => new Anthropic({ baseURL: open.principal.endpoint.root, apiKey: "dummy", maxRetries: 0 });

const COMMAND = { type: "object" as const, properties: { command: { type: "string" } }, required: ["command"] };
const BASH = { type: "function" as const, function: { name: "bash", parameters: COMMAND } };

test("the OpenAI client streams a turn with a tool from the faux model", async () => {
  await using open = await openGateway([]);
  const client = openai(open);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "[[say: I look. ]] [[shell: ls größe]] [[text: Found it: 世界.]]" }];
  const first = await client.chat.completions.stream({ model: "demo", messages, tools: [BASH], stream_options: { include_usage: true } }).finalChatCompletion();
  const call = first.choices[0]!.message.tool_calls![0]!;
  assert.deepEqual(
    { content: first.choices[0]!.message.content, name: call.type === "function" ? call.function.name : "", input: call.type === "function" ? call.function.arguments : "", finish: first.choices[0]!.finish_reason },
    { content: "I look. ", name: "bash", input: '{"command":"ls größe"}', finish: "tool_calls" },
  );
  messages.push(first.choices[0]!.message, { role: "tool", tool_call_id: call.id, content: "größe.txt" });
  const deltas: string[] = [];
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of await client.chat.completions.create({ model: "demo", messages, tools: [BASH], stream: true, stream_options: { include_usage: true } })) {
    if (chunk.choices[0]?.delta.content) deltas.push(chunk.choices[0].delta.content);
    usage = chunk.usage ?? usage;
  }
  assert.ok(deltas.length >= 3, `${deltas.length}`);
  assert.equal(deltas.join(""), "Found it: 世界.");
  assert.equal(usage?.completion_tokens, 4);
  const whole = await client.chat.completions.create({ model: "demo", messages, tools: [BASH] });
  assert.deepEqual([whole.choices[0]!.message.content, whole.choices[0]!.finish_reason, whole.usage?.completion_tokens], ["Found it: 世界.", "stop", 4]);
});

test("the OpenAI client gets parallel calls apart", async () => {
  await using open = await openGateway([]);
  const completion = await openai(open).chat.completions.stream({
    model: "demo", messages: [{ role: "user", content: '[[tools: bash {"command":"a"} ; bash {"command":"b"}]]' }], tools: [BASH],
  }).finalChatCompletion();
  const calls = completion.choices[0]!.message.tool_calls!.map((call) => (call.type === "function" ? call.function.arguments : ""));
  assert.deepEqual(calls, ['{"command":"a"}', '{"command":"b"}']);
});

test("the OpenAI client maps each refusal to its own error, and retries a 429 when it is told to", async () => {
  await using open = await openGateway([testProvider("http://127.0.0.1:9/v1")]);
  const failure = async (model: string, content: string) =>
    openai(open).chat.completions.create({ model, messages: [{ role: "user", content }] }).then(() => "no error", (error: Error) => error.constructor.name);
  assert.deepEqual(
    await Promise.all([failure("demo", "[[err: 401]]"), failure("demo", "[[err: 429]]"), failure("demo", "[[err: 500]]"), failure("none", "x"), failure("m1", "x")]),
    ["AuthenticationError", "RateLimitError", "InternalServerError", "NotFoundError", "InternalServerError"],
  );
  const gone = new OpenAI({ baseURL: `${open.gateway.url}/s/wrong/v1`, apiKey: "dummy", maxRetries: 0 });
  await assert.rejects(gone.models.list(), { status: 401, code: "unauthorized" });
  const before = open.trace.calls.length;
  const retried = await openai(open, 1).chat.completions.create({ model: "demo", messages: [{ role: "user", content: "[[err: 429 x1 after 0]] [[text: second try]]" }] });
  assert.equal(retried.choices[0]!.message.content, "second try");
  assert.deepEqual(open.trace.calls.slice(before).map(({ status }) => status), [429, 200]);
  assert.deepEqual((await openai(open).models.list()).data.map(({ id }) => id), ["m1", "demo"]);
});

test("the OpenAI client sees a cut stream as an error", async () => {
  await using open = await openGateway([]);
  const stream = await openai(open).chat.completions.create({ model: "demo", stream: true, messages: [{ role: "user", content: "[[cut: never the whole of this text]]" }] });
  let text = "";
  await assert.rejects(async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  });
  assert.ok(text.length > 0 && "never the whole of this text".startsWith(text), text);
});

for (const split of [undefined, 5]) {
  const how = split === undefined ? "event by event" : `${split} bytes at a time`;

  test(`the OpenAI client reads replayed Responses streams, ${how}`, async () => {
    const server = await createFauxServer({ responses: { files: RESPONSES, ...(split === undefined ? {} : { split }) } });
    await using open = await openGateway([testProvider(server.url)]);
    const client = openai(open);
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "What is here?" }];
    const first = await client.responses.stream({ model: "m1", input }).finalResponse();
    const call = first.output[0]!;
    assert.deepEqual(call.type === "function_call" ? [call.call_id, call.name, call.arguments] : [], ["call_fixture1", "bash", '{"command":"ls größe"}']);
    input.push({ type: "function_call", call_id: "call_fixture1", name: "bash", arguments: "{}" }, { type: "function_call_output", call_id: "call_fixture1", output: "README.md" });
    const second = await client.responses.stream({ model: "m1", input }).finalResponse();
    assert.deepEqual([second.output_text, second.usage?.output_tokens], ["The folder holds README.md und größe.txt 🙂.", 19]);
    await server.close();
  });

  test(`the Anthropic client reads replayed Messages streams, ${how}`, async () => {
    const server = await createFauxServer({ messages: { files: MESSAGES, ...(split === undefined ? { gzip: true } : { split }) } });
    await using open = await openGateway([testProvider(server.url)]);
    const client = anthropic(open);
    const tools = [{ name: "bash", input_schema: COMMAND }];
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "What is here?" }];
    const first = await client.messages.stream({ model: "m1", max_tokens: 100, messages, tools }).finalMessage();
    assert.deepEqual(first.content.map((block) => (block.type === "text" ? block.text : block.type === "tool_use" ? block.input : block.type)), ["thinking", "I'll look: größe 世界 🙂.", { command: "ls -a" }]);
    assert.deepEqual([first.stop_reason, first.usage.output_tokens], ["tool_use", 57]);
    messages.push({ role: "assistant", content: first.content }, { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01Fixture", content: "README.md" }] });
    const second = await client.messages.stream({ model: "m1", max_tokens: 100, messages, tools }).finalMessage();
    assert.deepEqual([second.content[0]!.type === "text" ? second.content[0]!.text : "", second.usage.cache_read_input_tokens], ["The folder holds README.md und größe.txt 🙂.", 450]);
    await server.close();
  });
}

test("the Anthropic client reads a whole message, compressed, and maps refusals to its own errors", async () => {
  const server = await createFauxServer({ messages: { files: [fixture("messages-whole.json")], gzip: true } });
  await using open = await openGateway([testProvider(server.url)]);
  const client = anthropic(open);
  const ask = (model: string) => client.messages.create({ model, max_tokens: 10, messages: [{ role: "user", content: "x" }] });
  const message = await ask("m1");
  assert.deepEqual(message.content[0]!.type === "text" ? message.content[0]!.text : "", "Whole: größe 世界 🙂.");
  const recorded = await open.trace.ended(0);
  assert.deepEqual(recorded.responseHeaders.find(([name]) => name === "content-encoding"), ["content-encoding", "gzip"]);
  await assert.rejects(ask("none"), Anthropic.NotFoundError);
  await assert.rejects(client.messages.countTokens({ model: "m1", messages: [{ role: "user", content: "x" }] }), Anthropic.NotFoundError);
  assert.equal((await open.trace.ended(2)).routes[0]!.upstream, `${server.url}/messages/count_tokens`);
  assert.deepEqual((await client.models.list()).data.map(({ id }) => id), ["m1", "demo"]);
  await server.close();
});

test("a client that stops reading a stream is seen by the stand-alone faux server", async () => {
  const gone = Promise.withResolvers<{ path: string; moment: string }>();
  const server = await createFauxServer({ onDisconnect: gone.resolve });
  await using open = await openGateway([testProvider(server.url)]);
  const stream = await openai(open).chat.completions.create({ model: "m1", stream: true, messages: [{ role: "user", content: "[[slow: 60]] [[text: slowly]]" }] });
  for await (const _chunk of stream) break;
  assert.deepEqual(await gone.promise, { path: "/v1/chat/completions", moment: "in-body" });
  assert.equal((await open.trace.ended(0)).end, "aborted");
  await server.close();
});
