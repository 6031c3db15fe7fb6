import assert from "node:assert/strict";
import { test } from "node:test";
import { localServerAway, noModel, shellWord } from "./no-model.ts";

test("no model: the commands that would work, with the user's own prompt", () => {
  assert.deepEqual(noModel("run", "What is here?", []).toBody(), {
    code: "no_model",
    error: "no model is chosen: no key is configured, and no model server answers on this machine",
    hint: [
      "each of these works:",
      '  beeuni run --model faux/demo "What is here?"   (a scripted model: no key, no network)',
      '  ANTHROPIC_API_KEY=… beeuni run "What is here?"',
      '  OPENAI_API_KEY=… beeuni run "What is here?"',
      '  ollama serve & beeuni run "What is here?"   (or LM Studio, llama.cpp, vLLM on this machine)',
    ].join("\n"),
  });
});

test("a prompt is one word of the shell", () => {
  assert.deepEqual(["it's", 'say "hi"', "it's $5", "a\nb"].map(shellWord), [`"it's"`, `'say "hi"'`, `'it'\\''s $5'`, "'…'"]);
});

test("a model of a local server that is not there names the server", () => {
  assert.deepEqual(localServerAway("ollama/tiny", [])?.toBody(), {
    code: "model_not_found", error: "ollama/tiny is served by Ollama, which does not answer on 127.0.0.1:11434", hint: "start Ollama, or go on with another --model",
  });
  assert.deepEqual([localServerAway("faux/demo", []), localServerAway(undefined, [])], [undefined, undefined]);
});
