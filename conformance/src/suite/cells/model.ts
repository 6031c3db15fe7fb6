import assert from "node:assert/strict";
import { agentSet, agentSpec } from "../specs.ts";
import { requestOf, responseIdOf } from "../wire.ts";
import type { Cell } from "./cell.ts";

export const sampling: Cell = {
  key: "sampling",
  title: "temperature and top_p of the agent are in the model request, and only where they are set",
  prove: async (kit, level) => {
    const agents = agentSet({ agents: [agentSpec(), agentSpec({ name: "cool", temperature: 0.25, topP: 0.5 })] });
    const opened = await kit.open({ agents });
    await kit.completed(opened, kit.prompts.say("cool"), { agent: "cool" });
    const cool = requestOf(kit.wire.exchanges.at(-1) ?? assert.fail("no model request"));
    assert.equal(cool.temperature, 0.25);
    assert.equal(cool.top_p, 0.5);
    if (level === "approx") return;
    await kit.completed(opened, kit.prompts.say("plain"), { agent: "main" });
    const plain = requestOf(kit.wire.exchanges.at(-1) ?? assert.fail("no model request"));
    assert.deepEqual([plain.temperature, plain.top_p], [undefined, undefined]);
  },
};

export const wire: Cell = {
  key: "wire",
  title: "every model call goes through the session's endpoint, names its model, and each message names its response",
  prove: async (kit, level) => {
    const opened = await kit.open();
    const before = kit.wire.exchanges.length;
    await kit.completed(opened, kit.prompts.say("one"));
    await kit.completed(opened, `${kit.prompts.say("two")}`);
    const exchanges = kit.wire.exchanges.slice(before);
    assert.ok(exchanges.length >= 2, `two answers, and ${exchanges.length} request(s) at the session's endpoint`);
    for (const exchange of exchanges) {
      assert.match(exchange.path, /^\/v1\//, "the request does not stand below the session's root");
      assert.equal(requestOf(exchange).model, kit.endpoint.models[0]?.wireId);
    }
    if (level === "approx") return;
    assert.deepEqual(opened.host.of("message.end").map(({ responseId }) => responseId), exchanges.map(responseIdOf));
  },
};
