import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { BeeuniError } from "@beeuni/protocol/errors";
import { projectFiles } from "./home.ts";
import { announceServer, findServer, type ServerRecord } from "./server-file.ts";

const home = mkdtempSync(join(tmpdir(), "beeuni-server-"));
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close().closeAllConnections();
  rmSync(home, { recursive: true });
});

/** A server whose health document says that it serves `directory`. */
async function serving(directory: string): Promise<ServerRecord> {
  const server = createServer((_, response) => response.end(JSON.stringify({ directory }))).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pid: process.pid, startedAt: "2026-11-30T12:00:00.000Z", directory };
}

test("a running server is found by its project, with its token, and is gone when it says so", async () => {
  const record = await serving("/a");
  const withdraw = await announceServer(home, record, "secret");
  assert.deepEqual(await findServer(home, "/a"), { ...record, token: "secret" });
  assert.equal(await findServer(home, "/b"), undefined);
  const files = projectFiles(home, "/a");
  assert.deepEqual([statSync(files.token).mode & 0o777, statSync(files.server).mode & 0o777], [0o600, 0o600]);
  assert.ok(!readFileSync(files.server, "utf8").includes("secret"));
  await withdraw();
  assert.equal(await findServer(home, "/a"), undefined);
  assert.ok(!existsSync(files.token));
});

test("a second server of the same project is refused, and the first stays", async () => {
  const first = await serving("/twice");
  await announceServer(home, first, "one");
  await assert.rejects(announceServer(home, await serving("/twice"), "two"), (error) => {
    assert.ok(error instanceof BeeuniError);
    assert.deepEqual(error.toBody(), {
      code: "already_serving", error: `/twice is already served at ${first.url} (process ${process.pid})`, hint: `use that one, or stop it first: kill ${process.pid}`,
    });
    return true;
  });
  assert.equal((await findServer(home, "/twice"))?.token, "one");
});

test("the record of a killed server is no server and stands in nobody's way", async () => {
  const dead = { url: "http://127.0.0.1:9", pid: process.pid, startedAt: "x", directory: "/killed" };
  const withdraw = await announceServer(home, dead, "old");
  assert.equal(await findServer(home, "/killed"), undefined);
  const record = await serving("/killed");
  await announceServer(home, record, "new");
  assert.deepEqual(await findServer(home, "/killed"), { ...record, token: "new" });
  assert.deepEqual(readdirSync(projectFiles(home, "/killed").folder).sort(), ["server.json", "token"], "nothing of the killed one stays");
  await withdraw();
  assert.deepEqual(await findServer(home, "/killed"), { ...record, token: "new" }, "the old one takes only its own record away");
});

test("another program on the port is not taken for the server", async () => {
  const record = await serving("/elsewhere");
  await announceServer(home, { ...record, directory: "/moved" }, "t");
  assert.equal(await findServer(home, "/moved"), undefined);
});

test("a record that can't be read is no server", async () => {
  await announceServer(home, await serving("/torn"), "t");
  writeFileSync(projectFiles(home, "/torn").server, '{"url":');
  assert.equal(await findServer(home, "/torn"), undefined);
});
