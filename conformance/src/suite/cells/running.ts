import assert from "node:assert/strict";
import { join } from "node:path";
import type { TurnEnd } from "@beeuni/harness";
import { checkEvents } from "../check-events.ts";
import type { Kit, Opened } from "../kit.ts";
import { isRunning, readPid } from "../processes.ts";
import { prompt } from "../specs.ts";
import type { Cell } from "./cell.ts";

const TEXT = "several words that come one after another";
/** Server-sent events of an answer that are let through before it is held: enough for the first pieces of text. */
const HELD_AFTER = 4;

/** A turn whose answer began and does not go on. */
async function openAnswer(kit: Kit, opened: Opened): Promise<{ turn: Promise<TurnEnd> }> {
  const seen = opened.host.of("part.delta").length;
  if (kit.hasWire) kit.wire.stall(HELD_AFTER);
  const turn = opened.session.turn(prompt(kit.prompts.sayOpen(TEXT)));
  await opened.host.until("a piece of the answer while the model still writes it", (host) => host.of("part.delta").length > seen, kit.patience);
  return { turn };
}

async function stop(kit: Kit, opened: Opened, turn: Promise<TurnEnd>): Promise<void> {
  await kit.within("the stop is done", opened.session.abort());
  assert.deepEqual(await kit.within("the stopped turn ends", turn), { outcome: "aborted" });
  assert.deepEqual(checkEvents(opened.host.events), [], "after the stop something is still open");
}

export const stream: Cell = {
  key: "stream",
  title: "text arrives while the model still writes it, and its pieces are the whole",
  prove: async (kit, level) => {
    const opened = await kit.open();
    await kit.completed(opened, kit.prompts.say(TEXT));
    assert.deepEqual(opened.host.texts(), [TEXT]);
    const pieces = opened.host.of("part.delta").map(({ delta }) => delta);
    assert.equal(pieces.join(""), TEXT);
    if (level === "approx") return;
    assert.ok(pieces.length >= 3, `the text came in ${pieces.length} piece(s)`);
    const { turn } = await openAnswer(kit, opened);
    await stop(kit, opened, turn);
  },
};

export const abort: Cell = {
  key: "abort",
  title: "a stop ends the answer, the request and the command's processes; what was said stays",
  prove: async (kit, level) => {
    const opened = await kit.open();
    await kit.within("a stop of nothing is done", opened.session.abort());

    const { turn } = await openAnswer(kit, opened);
    await stop(kit, opened, turn);
    if (kit.hasWire) {
      await kit.wire.until("the client to hang up", (exchanges) => exchanges.at(-1)?.abandoned === true, Math.min(1000, kit.patience));
      kit.wire.beSilent();
      const silent = kit.wire.exchanges.length;
      const waiting = opened.session.turn(prompt(kit.prompts.say("never")));
      await kit.wire.until("the request", (exchanges) => exchanges.length > silent, kit.patience);
      await stop(kit, opened, waiting);
      await kit.wire.until("the client to hang up", (exchanges) => exchanges.at(-1)?.abandoned === true, Math.min(1000, kit.patience));
    }
    const partial = opened.host.texts().at(-1) ?? "";
    assert.ok(partial.length > 0 && TEXT.startsWith(partial), `the partial text is ${JSON.stringify(partial)}`);

    if (level === "exact") await stopCommand(kit, opened);
    await kit.completed(opened, kit.prompts.say("still here"));
    assert.equal(opened.host.texts().at(-1), "still here");
  },
};

/** A command that ignores the polite signals, with a child of its own. */
async function stopCommand(kit: Kit, opened: Opened): Promise<void> {
  const [shell, child] = [join(kit.folders.workspace, "shell.pid"), join(kit.folders.workspace, "child.pid")];
  const command = `trap '' INT TERM; sleep 300 & echo $! > ${child}; echo $$ > ${shell}; wait; sleep 300`;
  const turn = opened.session.turn(prompt(kit.prompts.shell([command], "never")));
  const pids = [await readPid(shell, kit.patience), await readPid(child, kit.patience)];
  try {
    await stop(kit, opened, turn);
    assert.deepEqual(await Promise.all(pids.map(isRunning)), [false, false], "processes of the command outlive the stop");
    assert.deepEqual(opened.host.of("tool.error").map(({ kind }) => kind), ["aborted"]);
  } finally {
    for (const pid of pids) if (await isRunning(pid)) process.kill(pid, "SIGKILL");
  }
}
