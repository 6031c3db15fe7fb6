import assert from "node:assert/strict";
import { test } from "node:test";
import { serveBench, TOKEN } from "../../testing/client.ts";
import { rootClient, secondClient } from "../../testing/wire-client.ts";
import { ASKING_PROJECT, EXPECTED } from "../../testing/wire-expected.ts";
import { type WirePrompts, wireScript } from "../../testing/wire-script.ts";

const PROMPTS: WirePrompts = {
  text: "say hello there",
  shell: (word) => `run echo ${word}\nsay done`,
  host: 'host greet {"name":"Ann","times":2}\nsay done',
  question: "ask Colour: Which colour? | red | blue\nsay thanks",
  hang: "say begun\nhang",
};

for (const [name, clientOf] of [["root", rootClient], ["second", secondClient]] as const) {
  test(`[H-012] the published SDK's ${name} client: create, prompt, stream, permission, question, abort, messages, list, delete`, async (t) => {
    const { server, directory } = await serveBench(t, { files: ASKING_PROJECT });
    assert.deepEqual(await wireScript(clientOf({ url: server.url, token: TOKEN, directory }), PROMPTS), EXPECTED);
  });
}
