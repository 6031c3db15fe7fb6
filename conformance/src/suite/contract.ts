import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { checkEvents } from "./check-events.ts";
import type { Kit } from "./kit.ts";
import { agentSet, agentSpec, prompt } from "./specs.ts";

/** What holds for every harness, whatever it supports. */
export interface ContractCase { title: string; prove: (kit: Kit) => Promise<void> }

export const CONTRACT: readonly ContractCase[] = [
  {
    title: "compile is pure and names what it can't carry over",
    prove: async ({ harness, endpoint }) => {
      const permissions = [{ permission: "bash", pattern: "*", action: "deny" as const }];
      const agents = agentSet({ agents: [agentSpec({ permissions, options: { seed: 1 }, temperature: 0.1, steps: 3 })] });
      const frozen = structuredClone(agents);
      const [once, twice] = [harness.compile(agents, endpoint, "project"), harness.compile(agents, endpoint, "project")];
      assert.deepEqual(once, twice);
      assert.deepEqual(agents, frozen, "compile changed its input");
      assert.deepEqual(once.rules["main"]?.map(({ permission, pattern, action }) => ({ permission, pattern, action })), permissions);
      for (const { field, effect, why } of once.unsupported) assert.ok(field !== "" && effect !== "" && why !== "", "an unsupported field is not explained");
      assert.ok(!JSON.stringify([once.argv, once.env]).includes(endpoint.root), "the endpoint with its token stands in the arguments or the environment");
    },
  },
  {
    title: "a turn that the model fails ends as failed, with the reason and no usage made up",
    prove: async (kit) => {
      if (!kit.hasWire) return;
      const opened = await kit.open();
      kit.wire.refuse(401, JSON.stringify({ error: { message: "no such key", type: "authentication_error", code: "invalid_api_key" } }));
      const refused = await kit.turn(opened, kit.prompts.say("never"));
      assert.equal(refused.outcome, "failed");
      assert.equal(refused.error?.code, "auth");
      // A client may ask again before the first byte; the answer that broke off in the middle is an error, not a short answer.
      const ended = opened.host.of("message.end").length;
      for (let cuts = 0; cuts < 12; cuts++) kit.wire.cut(4);
      const cut = await kit.turn(opened, kit.prompts.say("several words that are never whole"));
      assert.equal(cut.outcome, "failed");
      for (const message of opened.host.of("message.end").slice(ended)) assert.equal(message.usage, null, "a broken answer reports usage");
    },
  },
  {
    title: "prompts of one session see each other, and ids are never used twice",
    prove: async (kit) => {
      const opened = await kit.open();
      await kit.completed(opened, `${kit.prompts.remark("the word is granite")}\n${kit.prompts.shell(["echo 1", "echo 2"], "one")}`);
      assert.match(await kit.memory(opened), /granite/);
      const { host } = opened;
      for (const ids of [host.of("message.start").map(({ key }) => key), host.of("part.start").map(({ key }) => key), host.of("tool.call").map(({ callId }) => callId)]) {
        assert.equal(new Set(ids).size, ids.length, `ids repeat: ${ids.join(", ")}`);
      }
      assert.deepEqual(host.results().map((text) => text.trim()), ["1", "2"]);
    },
  },
  {
    title: "closing ends a running turn and leaves no process behind",
    prove: async (kit) => {
      const before = await childProcesses();
      const opened = await kit.open();
      assert.ok(["ok", "starting"].includes((await opened.session.health()).state));
      const turn = opened.session.turn(prompt(kit.prompts.shell(["sleep 300"], "never")));
      await opened.host.until("the command to run", (host) => host.of("tool.start").length === 1, kit.patience);
      await kit.within("the session closes", opened.session.close());
      assert.notEqual((await kit.within("the turn ends", turn)).outcome, "completed");
      assert.deepEqual(checkEvents(opened.host.events), [], "after the close something is still open");
      // Killed is not yet gone: the system takes a moment on a busy machine.
      const left = async (): Promise<string[]> => (await childProcesses()).filter((pid) => !before.includes(pid));
      for (let waited = 0; waited < 1000 && (await left()).length > 0; waited += 20) await wait(20);
      assert.deepEqual(await left(), []);
    },
  },
];

/** Live children of this process, where the machine tells. */
async function childProcesses(): Promise<string[]> {
  const children: string[] = [];
  for (const pid of await readdir("/proc").catch(() => [] as string[])) {
    const stat = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "") : "";
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (Number(parent) === process.pid && state !== "Z" && state !== "X") children.push(pid);
  }
  return children.sort();
}
