import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Provider } from "@beeuni/gateway";
import { findModels, problemLines } from "./models.ts";

const home = mkdtempSync(join(tmpdir(), "beeuni-models-"));
after(() => rmSync(home, { recursive: true }));
const model = { id: "llama3", name: "Llama 3", contextWindow: 8192, maxOutput: 4096, reasoning: false, images: false, variants: {} };
const ollama: Provider = { id: "ollama", label: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", protocols: ["chat-completions"], models: [model], origin: "found on 127.0.0.1:11434" };

/** `looked`: whether the machine was searched for model servers. */
async function found(env: Record<string, string>, named?: string, { mentioned = [] as string[], local = [ollama] } = {}) {
  let looked = false;
  const { providers, standard, problems } = await findModels({ home, env, named, mentioned, findLocal: async () => ((looked = true), local) });
  return { providers: providers.map(({ id }) => id), standard: standard?.model, looked, problems };
}

test("without a key a local server is found and its first model is the standard", async () => {
  assert.deepEqual(await found({}), { providers: ["ollama"], standard: "ollama/llama3", looked: true, problems: [] });
  assert.deepEqual(await found({}, undefined, { local: [] }), { providers: [], standard: undefined, looked: true, problems: [] });
});

test("a configured key comes first and nothing is searched", async () => {
  const { providers, standard, looked } = await found({ ANTHROPIC_API_KEY: "k", OPENROUTER_API_KEY: "k" });
  assert.deepEqual({ providers, looked }, { providers: ["anthropic", "openrouter"], looked: false });
  assert.match(standard!, /^anthropic\//);
});

test("a named model is searched for only when it is a local server's", async () => {
  assert.deepEqual(await found({}, "faux/demo"), { providers: [], standard: undefined, looked: false, problems: [] });
  const { providers, looked } = await found({ OPENAI_API_KEY: "k" }, "ollama/llama3");
  assert.deepEqual({ providers, looked }, { providers: ["openai", "ollama"], looked: true });
  const agents = await found({ OPENAI_API_KEY: "k" }, undefined, { mentioned: ["ollama/llama3"] });
  assert.deepEqual([agents.providers, agents.standard?.split("/")[0]], [["openai", "ollama"], "openai"]);
});

test("problems of the configuration name the file and the line, never a key", async () => {
  writeFileSync(join(home, "config.json5"), '{\n  models: { providers: { acme: { apiKey: "sk-secret" } } },\n}\n', { mode: 0o600 });
  const lines = problemLines((await found({}, "faux/demo")).problems);
  assert.deepEqual(lines, [`error: ${home}/config.json5:2:32 models.providers.acme: baseUrl is missing, e.g. http://127.0.0.1:8080/v1`]);
});

test("a warning about a provider is told where it could be used, and not to a run on another", async () => {
  writeFileSync(join(home, "config.json5"), '{ models: { providers: { acme: { baseUrl: "http://127.0.0.1:1/v1", apiKey: "$ACME_KEY" } } } }\n', { mode: 0o600 });
  const told = async (...words: Parameters<typeof found>) => (await found(...words)).problems.map(({ path }) => path);
  assert.deepEqual(await told({}, "faux/demo"), []);
  assert.deepEqual([await told({}, "acme/m"), await told({}), await told({}, "faux/demo", { mentioned: ["acme/m"] })], Array(3).fill(["models.providers.acme.apiKey"]));
});
