import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { BeeuniError } from "@beeuni/protocol";
import { createGateway } from "./gateway.ts";
import { MemoryTrace } from "./testing/memory-trace.ts";
import { openGateway, SECRET, testProvider } from "./testing/open-gateway.ts";
import { RawClient } from "./testing/raw-client.ts";

const NOWHERE = "http://127.0.0.1:9/v1";

interface Answer {
  status: number;
  body: unknown;
}

async function answer(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  assert.equal(response.headers.get("content-type"), "application/json");
  return { status: response.status, body: await response.json() };
}

const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({ method: "POST", body, headers });

test("a principal gets its own address, its models and nothing else", async () => {
  await using open = await openGateway([testProvider(NOWHERE)]);
  const { endpoint } = open.principal;
  assert.match(endpoint.root, /^http:\/\/127\.0\.0\.1:\d+\/s\/[\w-]{43}$/);
  assert.deepEqual(endpoint.models[0], {
    ref: { provider: "up", id: "m1" }, wireId: "m1", name: "Model 1", protocols: ["chat-completions", "responses", "messages"],
    contextWindow: 1000, maxOutput: 100, reasoning: false, images: false, variants: {},
  });
  const other = open.gateway.principal({ id: "ses_other", models: [{ provider: "faux", id: "demo" }], trace: new MemoryTrace() });
  assert.notEqual(other.endpoint.root, endpoint.root);
  assert.deepEqual(await answer(`${other.endpoint.root}/v1/chat/completions`, post('{"model":"m1"}')), {
    status: 404, body: { error: { message: 'this session has no model "m1"; its models: demo', type: "invalid_request_error", param: "model", code: "model_not_found" } },
  });
});

test("refusals have the error shape of the protocol that was asked", async () => {
  await using open = await openGateway([testProvider(NOWHERE)]);
  const unauthorized = "this address is not, or no longer, valid; its session may be closed";
  const cases: [string, RequestInit, number, unknown][] = [
    [`${open.gateway.url}/s/wrong/v1/chat/completions`, post("{}"), 401, { error: { message: unauthorized, type: "invalid_request_error", param: null, code: "unauthorized" } }],
    [`${open.gateway.url}/s/wrong/v1/responses`, post("{}"), 401, { error: { message: unauthorized, type: "invalid_request_error", param: null, code: "unauthorized" } }],
    [`${open.gateway.url}/s/wrong/v1/messages`, post("{}"), 401, { type: "error", error: { type: "authentication_error", message: unauthorized } }],
    [`${open.gateway.url}/s/wrong/v1/models`, { headers: { "anthropic-version": "2023-06-01" } }, 401, { type: "error", error: { type: "authentication_error", message: unauthorized } }],
    [`${open.gateway.url}/v1/chat/completions`, post("{}"), 404, { error: { message: "no such path; model requests go to /s/<token>/v1/…", type: "invalid_request_error", param: null, code: "not_found" } }],
    [`${open.base}/embeddings?a=b`, post("{}"), 404, { error: { message: "no such path: /s/***/v1/embeddings?a=b", type: "invalid_request_error", param: null, code: "not_found" } }],
    [`${open.base}/messages/batches`, post("{}"), 404, { type: "error", error: { type: "not_found_error", message: "no such path: /s/***/v1/messages/batches" } }],
    [`${open.base}/messages`, { method: "GET" }, 405, { type: "error", error: { type: "invalid_request_error", message: "/s/***/v1/messages takes POST only" } }],
    [`${open.base}/messages`, post('{"model":"m2"}'), 404, { type: "error", error: { type: "not_found_error", message: 'this session has no model "m2"; did you mean m1?' } }],
    [`${open.base}/messages/count_tokens`, post('{"model":"m2"}'), 404, { type: "error", error: { type: "not_found_error", message: 'this session has no model "m2"; did you mean m1?' } }],
    [`${open.base}/responses`, post('{"input":"x"}'), 400, { error: { message: 'the request body must be a JSON object with a string "model"', type: "invalid_request_error", param: null, code: "invalid_request" } }],
    [`${open.base}/messages`, post('{"model":"demo"}'), 400, { type: "error", error: { type: "invalid_request_error", message: "faux/demo is not served as messages, only as chat-completions" } }],
  ];
  for (const [url, init, status, body] of cases) assert.deepEqual(await answer(url, init), { status, body });
  // What concerned a model was recorded, the token masked; what did not get that far was not.
  assert.deepEqual(open.trace.calls.map(({ head, end, status }) => [head.target, end, status]), [
    ["/s/***/v1/messages", "refused", 404],
    ["/s/***/v1/messages/count_tokens", "refused", 404],
    ["/s/***/v1/responses", "refused", 400],
    ["/s/***/v1/messages", "refused", 400],
  ]);
  assert.equal(open.trace.calls[0]!.response.toString(), JSON.stringify(cases[8]![3]));
});

test("requests for a foreign host name or from a foreign page are refused, with a good token too", async () => {
  await using open = await openGateway([testProvider(NOWHERE)], { hostNames: ["gateway.internal"] });
  const status = async (headers: Record<string, string>) => {
    const client = new RawClient(open.port);
    client.send(`${open.path}/chat/completions`, '{"model":"x"}', headers);
    const { start } = await client.response();
    client.close();
    return start;
  };
  const [passed, refused] = ["HTTP/1.1 404 Not Found", "HTTP/1.1 403 Forbidden"];
  assert.deepEqual(
    await Promise.all([
      status({ host: "127.0.0.1:1234" }), status({ host: "localhost" }), status({ host: "[::1]:1" }), status({ host: "gateway.internal:80" }), status({ origin: "http://localhost:3000" }),
      status({ host: "evil.example" }), status({ host: "127.0.0.1.evil.example" }), status({ origin: "https://evil.example" }), status({ origin: "null" }),
    ]),
    [passed, passed, passed, passed, passed, refused, refused, refused, refused],
  );
});

test("the models of a principal are listed in both families' shapes", async () => {
  await using open = await openGateway([testProvider(NOWHERE)]);
  const anthropic = { headers: { "anthropic-version": "2023-06-01" } };
  assert.deepEqual(await answer(`${open.base}/models`), {
    status: 200, body: { object: "list", data: [{ id: "m1", object: "model", created: 0, owned_by: "up" }, { id: "demo", object: "model", created: 0, owned_by: "faux" }] },
  });
  assert.deepEqual(await answer(`${open.base}/models/demo`), { status: 200, body: { id: "demo", object: "model", created: 0, owned_by: "faux" } });
  assert.deepEqual(await answer(`${open.base}/models`, anthropic), {
    status: 200,
    body: {
      data: [
        { type: "model", id: "m1", display_name: "Model 1", created_at: "1970-01-01T00:00:00Z" },
        { type: "model", id: "demo", display_name: "Faux demo", created_at: "1970-01-01T00:00:00Z" },
      ],
      has_more: false, first_id: "m1", last_id: "demo",
    },
  });
  assert.deepEqual(await answer(`${open.base}/models/none`, anthropic), { status: 404, body: { type: "error", error: { type: "not_found_error", message: 'this session has no model "none"' } } });
  assert.deepEqual(open.trace.calls, []);
});

test("a model is resolved by provider and id, with near names when there is none", async () => {
  await using open = await openGateway([testProvider(NOWHERE)]);
  const { gateway } = open;
  assert.equal(gateway.resolve({ provider: "faux", id: "demo" }).model.name, "Faux demo");
  // A model that nobody listed is passed on: providers have new ones every week.
  assert.deepEqual(gateway.resolve({ provider: "up", id: "brand-new" }).model, {
    id: "brand-new", name: "brand-new", contextWindow: 128_000, maxOutput: 16_384, reasoning: false, images: false, variants: {},
  });
  const failure = (provider: string, id: string) => {
    try {
      gateway.resolve({ provider, id });
    } catch (error) {
      return (error as BeeuniError).toBody();
    }
    return undefined;
  };
  assert.deepEqual(failure("fauxx", "demo"), { code: "model_not_found", error: 'unknown model "fauxx/demo": there is no provider "fauxx"', hint: "did you mean faux/demo?" });
  assert.deepEqual(failure("faux", "demmo"), { code: "model_not_found", error: 'unknown model "faux/demmo": Faux (scripted, no model) has no such model', hint: "did you mean faux/demo?" });
  assert.deepEqual(failure("nothing", "at-all"), { code: "model_not_found", error: 'unknown model "nothing/at-all": there is no provider "nothing"', hint: "known providers: up, faux" });
  assert.equal(failure("faux", "something-else")?.hint, "models of faux: faux/demo");
});

test("two providers' models of one wire id can't share a principal", async () => {
  await using open = await openGateway([testProvider(NOWHERE)]);
  assert.throws(
    () => open.gateway.principal({ id: "ses_2", models: [{ provider: "up", id: "demo" }, { provider: "faux", id: "demo" }], trace: new MemoryTrace() }),
    { code: "invalid_request", message: 'up/demo and faux/demo can\'t be used in one session: both are "demo" on the wire' },
  );
});

test("a taken port is an error with a hint", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  await assert.rejects(createGateway({ providers: [], port }), {
    code: "port_in_use", message: `the gateway can't listen on 127.0.0.1:${port}: the port is taken`, hint: "choose another port, or none for a free one",
  });
  await new Promise((resolve) => taken.close(resolve));
});

test("when the trace can't take a call, the call is refused and the reason said", async () => {
  await using open = await openGateway([testProvider(NOWHERE)]);
  open.trace.begin = () => {
    throw new BeeuniError("storage_failed", "no space left on device");
  };
  assert.deepEqual(await answer(`${open.base}/chat/completions`, post('{"model":"demo"}')), {
    status: 507, body: { error: { message: "the wire trace can't be written: no space left on device", type: "server_error", param: null, code: "storage_failed" } },
  });
});

test("neither the token nor a key is in any message, log line or recorded head", async () => {
  await using open = await openGateway([testProvider(NOWHERE)]);
  const token = open.path.split("/")[2]!;
  const bodies: string[] = [];
  for (const path of ["/chat/completions", "/nothing", `/${token}`, "/messages"]) {
    bodies.push(await (await fetch(`${open.base}${path}`, post('{"model":"m1"}', { authorization: "Bearer dummy" }))).text());
  }
  bodies.push(await (await fetch(`${open.gateway.url}/${token}/v1/models`)).text());
  const recorded = JSON.stringify(open.trace.calls.map(({ head, routes, responseHeaders, error }) => ({ head, routes, responseHeaders, error })));
  assert.ok(open.log.length > 0);
  for (const text of [...bodies, ...open.log, recorded]) {
    assert.ok(!text.includes(SECRET), text);
    // The client's own path came from the client: only the part after the token is shown again.
    assert.ok(!text.replace(`/s/***/v1/${token}`, "").includes(token), text);
  }
});
