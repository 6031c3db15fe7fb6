import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { formatIssue } from "@beeuni/protocol";
import type { Provider } from "../types.ts";
import { loadProviders } from "./load.ts";

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "providers-"))));
afterEach(() => rmSync(home, { recursive: true }));

const KEY = "sk-very-secret";

function load(config: string | null, env: Record<string, string> = {}) {
  if (config !== null) writeFileSync(join(home, "config.json5"), config, { mode: 0o600 });
  const { providers, problems } = loadProviders({ home, env });
  const lines = problems.map((problem) => `${problem.severity} ${formatIssue(problem).replaceAll(home, "~")}`);
  for (const line of lines) assert.ok(!line.includes(KEY), line);
  assert.ok(!JSON.stringify(providers).includes(KEY), "a key shows in a serialised provider");
  return { providers, problems: lines };
}

/** What tells providers apart, with the header that carries the key. */
const brief = ({ id, baseUrl, protocols, origin, credential, models }: Provider) => ({
  id, baseUrl, protocols, origin: origin.replace(home, "~"), credential: credential?.(), model: models[0]?.id,
});

test("without a file and without keys there is no provider and no problem", () => {
  assert.deepEqual(load(null), { providers: [], problems: [] });
});

test("keys of the environment bring their providers", () => {
  const { providers, problems } = load(null, { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: `${KEY}\n`, OPENROUTER_API_KEY: KEY, GROQ_API_KEY: "" });
  assert.deepEqual(problems, []);
  assert.deepEqual(providers.map(brief), [
    { id: "anthropic", baseUrl: "https://api.anthropic.com/v1", protocols: ["messages"], origin: "$ANTHROPIC_API_KEY", credential: ["x-api-key", KEY], model: "claude-sonnet-5" },
    { id: "openai", baseUrl: "https://api.openai.com/v1", protocols: ["chat-completions", "responses"], origin: "$OPENAI_API_KEY", credential: ["authorization", `Bearer ${KEY}`], model: "gpt-5.6-sol" },
    { id: "openrouter", baseUrl: "https://openrouter.ai/api/v1", protocols: ["chat-completions"], origin: "$OPENROUTER_API_KEY", credential: ["authorization", `Bearer ${KEY}`], model: undefined },
  ]);
  assert.deepEqual(providers[1]!.models[0]!.variants["high"], { reasoning_effort: "high" });
});

test("base URLs of the environment replace the provider's own, with or without a key", () => {
  const { providers, problems } = load(null, { OPENAI_BASE_URL: "http://127.0.0.1:8787/v1/", ANTHROPIC_BASE_URL: "https://proxy.example/anthropic", ANTHROPIC_AUTH_TOKEN: KEY });
  assert.deepEqual(problems, []);
  assert.deepEqual(providers.map(brief).map(({ model: _, ...rest }) => rest), [
    { id: "anthropic", baseUrl: "https://proxy.example/anthropic/v1", protocols: ["messages"], origin: "$ANTHROPIC_AUTH_TOKEN", credential: ["authorization", `Bearer ${KEY}`] },
    { id: "openai", baseUrl: "http://127.0.0.1:8787/v1", protocols: ["chat-completions", "responses"], origin: "$OPENAI_BASE_URL", credential: undefined },
  ]);
});

test("a bad variable is a problem of its own provider", () => {
  const bad = load(null, { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `http://user:${KEY}@host/v1`, ANTHROPIC_API_KEY: `${KEY}\nx`, XAI_API_KEY: KEY });
  assert.deepEqual(bad.providers.map(({ id }) => id), ["xai"]);
  assert.deepEqual(bad.problems, [
    "error environment ANTHROPIC_API_KEY: $ANTHROPIC_API_KEY holds characters that no header can carry",
    "error environment OPENAI_BASE_URL: must not hold a user or a password; put the key into apiKey",
  ]);
  const clear = load(null, { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: "http://models.example/v1" });
  assert.deepEqual(clear.problems, ["warning environment OPENAI_BASE_URL: sends the key in clear text to models.example; use https"]);
  assert.deepEqual(clear.providers.map(({ id, baseUrl }) => [id, baseUrl]), [["openai", "http://models.example/v1"]]);
});

test("the configuration names providers, keys in four ways, and models", () => {
  const { providers, problems } = load(`// JSON5
{
  gateway: { port: 1 },
  models: {
    providers: {
      'local': { baseUrl: "http://127.0.0.1:1234/v1", models: ["qwen", { id: "big", name: "Big", contextWindow: 1e6, maxTokens: 5000, reasoning: true, input: ["text", "image"], cost: { input: 1 } }] },
      a: { baseUrl: "https://a.example/v1", apiKey: "$A_KEY", api: "openai-responses" },
      b: { baseUrl: "https://b.example", apiKey: "\${A_KEY}", api: "anthropic-messages", headers: { "X-Team": "$TEAM", "X-Fixed": "yes" } },
      c: { baseUrl: "https://c.example/anthropic/v1", apiKey: { source: "env", id: "A_KEY" }, protocols: ["anthropic-messages"], authHeader: true },
      d: { label: "The D", baseUrl: "https://d.example/v1", apiKey: "${KEY}", protocols: ["messages", "openai-completions"], },
      openai: { models: [{ id: "gpt-5", maxTokens: 10 }] },
    },
  },
}`, { A_KEY: KEY, TEAM: "blue", OPENAI_API_KEY: KEY, GROQ_API_KEY: KEY });
  assert.deepEqual(problems, []);
  assert.deepEqual(providers.map(brief), [
    { id: "local", baseUrl: "http://127.0.0.1:1234/v1", protocols: ["chat-completions"], origin: "~/config.json5:6", credential: undefined, model: "qwen" },
    { id: "a", baseUrl: "https://a.example/v1", protocols: ["responses"], origin: "~/config.json5:7", credential: ["authorization", `Bearer ${KEY}`], model: undefined },
    { id: "b", baseUrl: "https://b.example/v1", protocols: ["messages"], origin: "~/config.json5:8", credential: ["x-api-key", KEY], model: undefined },
    { id: "c", baseUrl: "https://c.example/anthropic/v1", protocols: ["messages"], origin: "~/config.json5:9", credential: ["authorization", `Bearer ${KEY}`], model: undefined },
    { id: "d", baseUrl: "https://d.example/v1", protocols: ["messages", "chat-completions"], origin: "~/config.json5:10", credential: ["authorization", `Bearer ${KEY}`], model: undefined },
    { id: "openai", baseUrl: "https://api.openai.com/v1", protocols: ["chat-completions", "responses"], origin: "~/config.json5:11", credential: ["authorization", `Bearer ${KEY}`], model: "gpt-5" },
    { id: "groq", baseUrl: "https://api.groq.com/openai/v1", protocols: ["chat-completions"], origin: "$GROQ_API_KEY", credential: ["authorization", `Bearer ${KEY}`], model: undefined },
  ]);
  assert.deepEqual(providers[0]!.models, [
    { id: "qwen", name: "qwen", contextWindow: 128_000, maxOutput: 16_384, reasoning: false, images: false, variants: {} },
    { id: "big", name: "Big", contextWindow: 1_000_000, maxOutput: 5000, reasoning: true, images: true, variants: { low: { reasoning_effort: "low" }, medium: { reasoning_effort: "medium" }, high: { reasoning_effort: "high" } } },
  ]);
  assert.deepEqual(providers[2]!.headers, [["X-Team", "blue"], ["X-Fixed", "yes"]]);
  assert.equal(providers[4]!.label, "The D");
  // A known model keeps what the entry does not say, and the other known ones follow.
  const [gpt5, next] = providers[5]!.models;
  assert.deepEqual([gpt5!.name, gpt5!.maxOutput, Object.keys(gpt5!.variants), next!.id], ["GPT-5", 10, ["minimal", "low", "medium", "high"], "gpt-5.6-sol"]);
});

test("all problems of a configuration are told at once, with their lines, and the good entries stay", () => {
  const { providers, problems } = load(`{
  models: { providers: {
    good: { baseUrl: "https://good.example/v1" },
    nourl: { apiKey: "${KEY}" },
    "bad/id": { baseUrl: "https://x.example/v1" },
    faux: { baseUrl: "https://x.example/v1" },
    typo: { baseUrl: "https://typo.example/v1", modles: [], models: [{ id: "m", contextWindw: 5 }] },
    types: {
      baseUrl: 5,
      api: "openai-complete",
      models: [{ id: "" }, 7,
        { id: "m", contextWindow: "much" }],
    },
    url: { baseUrl: "ftp://${KEY}@host" },
    unset: { baseUrl: "https://unset.example/v1", apiKey: "$NOT_SET" },
    exec: { baseUrl: "https://exec.example/v1", apiKey: { source: "exec", id: "x" } },
    empty: { baseUrl: "https://empty.example/v1", apiKey: "", headers: { "bad name": "x", ok: "$NOT_SET_EITHER" } },
    clear: { baseUrl: "http://clear.example/v1", apiKey: "${KEY}" },
    "null": null,
  } },
}`);
  assert.deepEqual(providers.map(({ id }) => id), ["good", "typo", "clear"]);
  assert.deepEqual(problems, [
    "error ~/config.json5:4:12 models.providers.nourl: baseUrl is missing, e.g. http://127.0.0.1:8080/v1",
    "error ~/config.json5:5:5 models.providers.bad/id: a provider's id is made of letters, digits, dots, dashes and underscores",
    "error ~/config.json5:6:5 models.providers.faux: this id is the built-in scripted model's; choose another",
    "warning ~/config.json5:7:49 models.providers.typo.modles: is not known here and has no effect; did you mean models?",
    "warning ~/config.json5:7:81 models.providers.typo.models[0].contextWindw: is not known here and has no effect; did you mean contextWindow?",
    "error ~/config.json5:9:16 models.providers.types.baseUrl: Invalid input: expected string, received number",
    'error ~/config.json5:10:12 models.providers.types.api: Invalid option: expected one of "chat-completions"|"responses"|"messages"|"openai-completions"|"openai-responses"|"anthropic-messages"',
    "error ~/config.json5:11:22 models.providers.types.models[0].id: Too small: expected string to have >=1 characters",
    "error ~/config.json5:11:28 models.providers.types.models[1]: must be a model's id or an object with one",
    "error ~/config.json5:12:35 models.providers.types.models[2].contextWindow: Invalid input: expected number, received string",
    "error ~/config.json5:14:21 models.providers.url.baseUrl: must begin with http:// or https://",
    "warning ~/config.json5:15:59 models.providers.unset.apiKey: names the variable NOT_SET, which is not set; the provider is left out",
    'error ~/config.json5:16:67 models.providers.exec.apiKey.source: Invalid input: expected "env"',
    "error ~/config.json5:17:59 models.providers.empty.apiKey: is empty",
    "error ~/config.json5:17:74 models.providers.empty.headers.bad name: is not a header's name",
    "warning ~/config.json5:17:95 models.providers.empty.headers.ok: names the variable NOT_SET_EITHER, which is not set; the provider is left out",
    "warning ~/config.json5:18:23 models.providers.clear.baseUrl: sends the key in clear text to clear.example; use https",
    "error ~/config.json5:19:13 models.providers.null: Invalid input: expected object, received null",
  ]);
});

test("a misspelled way to the providers is named; a file that holds other things too is left alone", () => {
  const told = (text: string): readonly string[] => load(text).problems;
  assert.deepEqual(told("{ model: { providers: {} } }"), ["warning ~/config.json5:1:3 model: is not known here and has no effect; did you mean models?"]);
  assert.deepEqual(told("{ models: { provider: {} } }"), ["warning ~/config.json5:1:13 models.provider: is not known here and has no effect; did you mean providers?"]);
  assert.deepEqual(told("[]"), ["error ~/config.json5:1:1 <json5>: must be an object, e.g. { models: { providers: { … } } }"]);
  assert.deepEqual(told("{ agents: { list: [] }, models: { mode: 'merge' } }"), []);
  assert.deepEqual(told("{ model: 'x', models: { providers: {} } }"), []);
});

test("a broken entry is not replaced by the environment's provider of its id", () => {
  const { providers, problems } = load('{models:{providers:{openai:{baseUrl:"nonsense"}}}}', { OPENAI_API_KEY: KEY });
  assert.deepEqual([providers, problems], [[], ["error ~/config.json5:1:37 models.providers.openai.baseUrl: is not a URL, e.g. https://host/v1"]]);
});

test("a file that is not JSON5, or not of the shape, says where", () => {
  assert.deepEqual(load("{\n  models: {\n    providers: [\n  }\n}").problems, ["error ~/config.json5:4:3 <json5>: Unexpected token RBrace found."]);
  assert.deepEqual(load("{ models: { providers: [] } }").problems, ["error ~/config.json5:1:24 models.providers: must be an object of providers by id"]);
  assert.deepEqual(load("").problems.length, 1);
  assert.deepEqual(load("{ models: 5 }"), { providers: [], problems: [] });
});

test("a file with a key that others can read is a warning", () => {
  load(`{models:{providers:{a:{baseUrl:"https://a.example/v1",apiKey:"${KEY}"}}}}`);
  chmodSync(join(home, "config.json5"), 0o644);
  assert.deepEqual(load(null).problems, ["warning ~/config.json5 <file>: holds a key and can be read by other users; run: chmod 600 on it"]);
});
