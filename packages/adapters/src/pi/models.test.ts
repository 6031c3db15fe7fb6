import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EndpointModel } from "@beeuni/protocol";
import { gatewayProvider, protocolOf, samplingOf } from "./models.ts";

const model = (patch: Partial<EndpointModel> = {}): EndpointModel => ({
  ref: { provider: "up", id: "m1" }, wireId: "m1", name: "M 1", protocols: ["chat-completions"], contextWindow: 1000, maxOutput: 100,
  reasoning: true, images: false, variants: { high: { reasoning_effort: "high" } }, ...patch,
});
const ROOT = "http://127.0.0.1:1/s/token";
const modelsOf = (...models: EndpointModel[]) => (gatewayProvider({ root: ROOT, models }) as { models: { [field: string]: unknown }[] }).models;

describe("models as Pi takes them", () => {
  test("[H-023] every model has its address at the gateway, by the protocol that its provider serves first", () => {
    const models = modelsOf(
      model(), model({ wireId: "r", protocols: ["responses", "chat-completions"] }), model({ wireId: "a", ref: { provider: "anthropic", id: "a" }, protocols: ["messages"] }),
    );
    assert.deepEqual(models.map(({ id, api, baseUrl }) => [id, api, baseUrl]), [
      ["m1", "openai-completions", `${ROOT}/v1`], ["r", "openai-responses", `${ROOT}/v1`], ["a", "anthropic-messages", ROOT],
    ]);
  });

  test("what a compatible server may not know is left out of requests to it", () => {
    const [plain, openai] = modelsOf(model(), model({ ref: { provider: "openai", id: "m1" } }));
    assert.deepEqual(plain?.["compat"], { supportsStore: false, supportsDeveloperRole: false, maxTokensField: "max_tokens" });
    assert.equal((openai?.["compat"] as { maxTokensField: string }).maxTokensField, "max_completion_tokens");
  });

  test("what Pi knows of a model is kept, but for its limits and its address", () => {
    const known = { id: "m1", provider: "up", api: "openai-completions", reasoning: true, input: [], baseUrl: "https://elsewhere", contextWindow: 9, compat: { thinkingFormat: "zai" }, thinkingLevelMap: { low: null } };
    const { models } = gatewayProvider({ root: ROOT, models: [model()] }, () => known as never) as { models: { [field: string]: unknown }[] };
    assert.deepEqual([models[0]?.["baseUrl"], models[0]?.["contextWindow"], models[0]?.["thinkingLevelMap"]], [`${ROOT}/v1`, 1000, { low: null }]);
    assert.equal((models[0]?.["compat"] as { thinkingFormat: string }).thinkingFormat, "zai");
  });

  test("a model without a protocol that Pi speaks is none", () => {
    assert.equal(protocolOf([]), undefined);
    assert.deepEqual(modelsOf(model({ protocols: [] })), []);
  });
});

describe("sampling", () => {
  const agent = { temperature: null, topP: null };

  test("[H-038] a variant's effort becomes Pi's level, its other settings go into the body", () => {
    const varied = model({ variants: { deep: { reasoning_effort: "xhigh", verbosity: "low" }, quick: { reasoning_effort: "none" }, odd: { reasoning_effort: "ultra" } } });
    assert.deepEqual(samplingOf(varied, agent, "deep"), { thinking: "xhigh", temperature: null, body: { verbosity: "low" } });
    assert.deepEqual(samplingOf(varied, agent, "quick"), { thinking: "off", temperature: null, body: {} });
    assert.deepEqual(samplingOf(varied, agent, "odd"), { thinking: null, temperature: null, body: { reasoning_effort: "ultra" } });
    assert.deepEqual(samplingOf(varied, agent, null), { thinking: null, temperature: null, body: {} });
  });

  test("an effort for a model that Pi does not take for a reasoning one goes into the body as it is", () => {
    assert.deepEqual(samplingOf(model({ reasoning: false }), agent, "high"), { thinking: null, temperature: null, body: { reasoning_effort: "high" } });
  });

  test("[H-041] [H-042] temperature and top_p are the agent's", () => {
    assert.deepEqual(samplingOf(model(), { temperature: 0.2, topP: 0.5 }, null), { thinking: null, temperature: 0.2, body: { top_p: 0.5 } });
  });
});
