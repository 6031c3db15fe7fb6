import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionCapability } from "@beeuni/protocol";
import type { SessionFeatures } from "@beeuni/harness";
import type { Kit } from "./kit.ts";

const EARLY = "the first word was quartz";
const LATE = "the second word was basalt";

/** What each session function does when it is listed. */
export const FEATURE_PROOFS: { [K in SessionCapability]: (kit: Kit) => Promise<void> } = {
  "session.rewind": async (kit) => {
    const opened = await kit.open();
    await kit.completed(opened, `${kit.prompts.remark(EARLY)}\n${kit.prompts.say("noted")}`);
    const turn = "trn_rewound";
    await kit.completed(opened, `${kit.prompts.remark(LATE)}\n${kit.prompts.say("noted too")}`, { turn });
    await method(opened.session.features, "session.rewind")(turn);
    const memory = await kit.memory(opened);
    assert.match(memory, new RegExp(EARLY));
    assert.doesNotMatch(memory, new RegExp(LATE));
  },
  "session.compact": async (kit) => {
    const opened = await kit.open();
    const long = `${EARLY} ${"and on it went ".repeat(200)}`;
    await kit.completed(opened, `${kit.prompts.remark(long)}\n${kit.prompts.say("noted")}`);
    const before = await kit.memory(opened);
    await method(opened.session.features, "session.compact")();
    const after = await kit.memory(opened);
    assert.ok(after.length < before.length, `the conversation was ${before.length} characters and is ${after.length}`);
  },
  "session.fork": async (kit) => {
    const opened = await kit.open();
    await kit.completed(opened, `${kit.prompts.remark(EARLY)}\n${kit.prompts.say("noted")}`);
    const { nativeId } = await method(opened.session.features, "session.fork")();
    assert.notEqual(nativeId, opened.session.nativeId);
    await kit.completed(opened, `${kit.prompts.remark(LATE)}\n${kit.prompts.say("only here")}`);
    const memory = await kit.memory(await kit.open({ resume: { nativeId } }));
    assert.match(memory, new RegExp(EARLY));
    assert.doesNotMatch(memory, new RegExp(LATE));
  },
  "session.shell": async (kit) => {
    const { session } = await kit.open();
    await method(session.features, "session.shell")("echo by hand > shell.txt");
    assert.equal(await readFile(join(kit.folders.workspace, "shell.txt"), "utf8"), "by hand\n");
  },
  "session.attach": async (kit) => {
    const { session } = await kit.open();
    const { command } = await method(session.features, "session.attach")();
    assert.ok(command.length > 0, "there is no command to attach with");
  },
  "session.todo": (kit) => document(kit, "session.todo"),
  "session.mcp": (kit) => document(kit, "session.mcp"),
  "session.config": (kit) => document(kit, "session.config"),
  "session.commands": (kit) => document(kit, "session.commands"),
  "session.subagents": (kit) => document(kit, "session.subagents"),
};

/** A function that answers with a document: one that JSON carries unchanged. */
async function document(kit: Kit, id: "session.todo" | "session.mcp" | "session.config" | "session.commands" | "session.subagents"): Promise<void> {
  const { session } = await kit.open();
  const value = await method(session.features, id)();
  assert.deepEqual(JSON.parse(JSON.stringify(value) ?? "null"), value);
  assert.equal(typeof value, "object", `${id} answers ${JSON.stringify(value)}`);
}

function method<K extends SessionCapability>(features: SessionFeatures, id: K): NonNullable<SessionFeatures[K]> {
  const found = features[id];
  return found === undefined ? assert.fail(`${id} is listed and has no method`) : (found as NonNullable<SessionFeatures[K]>);
}
