import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { BUILT_IN_HARNESSES } from "@beeuni/adapters";
import { serveBench, TOKEN } from "../../testing/client.ts";
import { rootClient, secondClient } from "../../testing/wire-client.ts";
import { ASKING_PROJECT, EXPECTED } from "../../testing/wire-expected.ts";
import { type WirePrompts, wireScript } from "../../testing/wire-script.ts";

const question = { question: "Which colour?", header: "Colour", options: [{ label: "red", description: "warm" }, { label: "blue", description: "cold" }] };
const PROMPTS: WirePrompts = {
  text: "[[text: hello there]]",
  shell: (word) => `[[shell: echo ${word}]] [[text: done]]`,
  host: '[[tool greet {"name":"Ann","times":2}]] [[text: done]]',
  question: `[[tool question ${JSON.stringify({ questions: [question] })}]] [[text: thanks]]`,
  hang: `[[slow: 0.2]] [[text: begun ${"and more ".repeat(300)}]]`,
};
// Where `beeuni harness install` puts them; the sessions' own home is a temporary one.
process.env["BEEUNI_TOOLCHAINS"] ??= join(process.env["BEEUNI_HOME"] ?? join(homedir(), ".beeuni"), "harnesses");

describe("the published SDK's clients against a real harness", () => {
  for (const id of ["pi"]) {
    for (const [name, clientOf] of [["root", rootClient], ["second", secondClient]] as const) {
      test(`[H-012] ${id}, ${name} client: the same order and kinds of messages, parts, states and events as on every harness`, async (t) => {
        const harness = await BUILT_IN_HARNESSES.find((entry) => entry.id === id)!.load();
        const { server, directory } = await serveBench(t, { files: ASKING_PROJECT, others: [harness], explicitHarness: id });
        assert.deepEqual(await wireScript(clientOf({ url: server.url, token: TOKEN, directory }), PROMPTS), EXPECTED);
      });
    }
  }
});
