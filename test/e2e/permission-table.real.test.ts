import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { PermissionReply } from "@beeuni/protocol";
import type { BeeuniClient } from "@beeuni/sdk";
import type { ToolPart } from "@beeuni/transcript";
import { openInProcess } from "./support/daemon.ts";
import { ModelServer } from "./support/model-server.ts";
import { agentFile, expectedAction, NOTE_TOOL, type Row, tableRows, TOOLS } from "./support/permission-table.ts";
import { Place, projectFiles } from "./support/place.ts";
import { Server } from "./support/serve.ts";
import { promptOf } from "./support/session.ts";

const ROWS = tableRows();

/** How one call of a row went: how often it ran, how often a person was asked, and how its part ended. */
interface Outcome {
  call: string;
  runs: number;
  asked: number;
  end: string;
}

describe("permission rules on the real harness", () => {
  let place: Place;
  let model: ModelServer;
  let server: Server;

  before(async () => {
    place = new Place({
      ...projectFiles(Object.fromEntries(ROWS.map((row) => [row.agent, agentFile(row)])), "tools:\n  note: tools/note.ts\n"),
      "tools/note.ts": NOTE_TOOL, "marks/.keep": "", "bin/mark": '#!/bin/sh\necho x >> "marks/$1"\n',
    });
    chmodSync(join(place.project, "bin/mark"), 0o755);
    for (const { calls } of ROWS) for (const { needs = {} } of calls) for (const [path, text] of Object.entries(needs)) place.write(path, text);
    model = await ModelServer.start();
    place.configure({ up: model.provider });
    server = await Server.start(place, ["--model", "up/demo"], { env: { PATH: `${join(place.project, "bin")}:${process.env["PATH"]}` } });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  /** Runs a row's calls, in one answer of the model; a person who is asked about the n-th call answers `replies[n]`. */
  async function run(client: BeeuniClient, session: string, row: Row, replies: readonly PermissionReply[]): Promise<Outcome[]> {
    const asked = row.calls.map(() => 0);
    const over = new AbortController();
    const answering = (async () => {
      const { seq, epoch } = await client.sessions.state(session);
      for await (const item of client.events({ session, lastEventId: `${epoch}:${seq}`, signal: over.signal })) {
        if (item.kind !== "event" || item.event.type !== "permission.asked") continue;
        const { id, tool, metadata } = item.event.request;
        const at = row.calls.findIndex((call) => call.tool === tool && isDeepStrictEqual(call.input, metadata));
        asked[at]!++;
        await client.permissions.reply(id, { reply: replies[at]! });
      }
    })();
    const calls = row.calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`).join(" ; ");
    const { turn, result } = await client.sessions.promptAndWait(session, promptOf(`[[tools: ${calls}]] [[text: done]]`, { agent: row.agent }));
    over.abort();
    await answering;
    assert.equal(result.outcome, "completed");
    const { messages } = await client.sessions.messages(session, { limit: 5 });
    const parts = messages.filter(({ info }) => info.turn === turn).flatMap((message) => message.parts.filter((part): part is ToolPart => part.type === "tool"));
    return row.calls.map((call, at) => {
      const { state } = parts[at]!;
      return {
        call: call.subject, runs: call.runs(place.project, state.status === "completed" ? state.output : ""), asked: asked[at]!,
        end: state.status === "error" ? `${state.kind}: ${state.error}` : state.status,
      };
    });
  }

  function expected(row: Row, replies: readonly PermissionReply[]): Outcome[] {
    return row.calls.map((call, at) => {
      const action = expectedAction(row, call);
      if (action === "deny") return { call: call.subject, runs: 0, asked: 0, end: `denied: The project policy denies this ${call.tool} call.` };
      if (action === "ask" && replies[at] === "reject") return { call: call.subject, runs: 0, asked: 1, end: "rejected: The user rejected this tool call." };
      return { call: call.subject, runs: 1, asked: action === "ask" ? 1 : 0, end: "completed" };
    });
  }

  /** The check: a row went as its rules say, first with every request rejected, then with those requests allowed. */
  async function checkRow(client: BeeuniClient, session: string, row: Row): Promise<void> {
    const about = `${row.agent}: ${JSON.stringify(row.rules)}`;
    const rejecting = row.calls.map((): PermissionReply => "reject");
    assert.deepEqual(await run(client, session, row, rejecting), expected(row, rejecting), about);
    const asking = { ...row, calls: row.calls.filter((call) => expectedAction(row, call) === "ask") };
    const allowing = asking.calls.map((): PermissionReply => "once");
    if (asking.calls.length > 0) assert.deepEqual(await run(client, session, asking, allowing), expected(asking, allowing), `${about}, allowed`);
  }

  test(`[H-040] [H-050] [H-051] ${ROWS.length} agents, each by its own rules for ${TOOLS.join(", ")}, counted by what really ran`, async () => {
    // Every tool meets every pair of actions in both orders.
    const met = new Set(ROWS.filter(({ agent }) => agent.startsWith("pair-")).flatMap((row) => row.calls.map((call, at) => (at % 2 === 0 ? `${call.tool} ${expectedAction(row, call)} ${expectedAction(row, row.calls[at + 1]!)} ${row.agent.slice(-2)}` : ""))));
    met.delete("");
    assert.equal(met.size, TOOLS.length * 9 * 2);
    // Agents take turns in a session; a new one now and then keeps the requests short.
    for (let at = 0; at < ROWS.length; at += 7) {
      const { id } = await server.client.sessions.create({ agent: ROWS[at]!.agent });
      for (const row of ROWS.slice(at, at + 7)) await checkRow(server.client, id, row);
    }
  });

  test("control: with a host that lets every call run, the check fails", async () => {
    await using open = await openInProcess(place, { harness: (real) => ({ ...real, open: (spec, host) => real.open(spec, { ...host, authorize: async () => ({ allow: true }) }) }) });
    const { id } = await open.client.sessions.create({ agent: ROWS[0]!.agent });
    await assert.rejects(checkRow(open.client, id, ROWS[0]!), /pair-0-ab: .*\n/);
  });
});
