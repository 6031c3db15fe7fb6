import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { PermissionRequest, QuestionRequest } from "@beeuni/protocol";
import { type BeeuniClient, createClient } from "@beeuni/sdk";
import type { SessionState } from "@beeuni/transcript";
import { RunResult } from "./run/result.ts";
import { CliPlace, finished, shows } from "./testing/cli.ts";

const place = new CliPlace();
mkdirSync(join(place.work, "agents"));
writeFileSync(join(place.work, "beeuni.yaml"), "beeuni_version: 2\nruntime: pi\ndefault_agent: a\nagents:\n  a: {}\n");
writeFileSync(join(place.work, "agents/a.md"), "---\npermission:\n  bash:\n    '*': ask\n    'rm *': deny\n---\nBe brief.\n");
const did = (name: string): boolean => existsSync(join(place.work, name));

describe("what asks in a run", () => {
  const run = (flags: string[], script: string) => place.run(["run", "--model", "faux/demo", ...flags, script]);

  test("is refused when nobody can answer, with the flag that would allow it", async () => {
    const { code, stdout } = await run([], "[[shell: touch refused]] [[text: ok]]");
    assert.equal(code, 0);
    assert.match(stdout.replace(/\s+/g, " "), /✗ denied: .*--allow 'bash:touch refused'/);
    assert.equal(did("refused"), false);
  });

  test("runs with --allow of its pattern, and only of its pattern", async () => {
    await run(["--allow", "bash:touch *"], "[[shell: touch allowed]] [[shell: mkdir other]] [[shell: touch sneaky; mkdir other]] [[text: ok]]");
    assert.deepEqual([did("allowed"), did("other"), did("sneaky")], [true, false, false]);
  });

  test("runs with --yes; what is denied does not", async () => {
    await run(["--yes"], "[[shell: touch yes]] [[shell: rm yes]] [[text: ok]]");
    assert.equal(did("yes"), true);
  });
});

describe("serve", () => {
  let server: ReturnType<CliPlace["start"]>;
  let client: BeeuniClient;
  let session: string;
  const stateOf = (): Promise<SessionState> => place.json<SessionState>(["session", "show", session]);
  const outputs = async (): Promise<unknown[]> => (await stateOf()).messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool" ? [part.state.status === "error" ? part.state.error : part.state.status] : [])));
  async function first<T>(words: string[]): Promise<T> {
    for (let tries = 0; tries < 100; tries++) {
      const [request] = await place.json<T[]>(words);
      if (request !== undefined) return request;
    }
    throw new Error(`${words.join(" ")}: nothing waits`);
  }

  before(async () => {
    server = place.start(["serve", "--model", "faux/demo", "--json"]);
    const started = JSON.parse(await new Promise<string>((resolve) => server.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())))) as { url: string; tokenFile: string };
    client = createClient({ url: started.url, token: readFileSync(started.tokenFile, "utf8").trim() });
    session = (await client.sessions.create()).id;
  });
  after(async () => {
    const end = finished(server);
    server.kill("SIGTERM");
    assert.equal((await end).code, 0);
  });

  test("[H-051] a permission request is listed and answered from the command line", async () => {
    const turn = client.sessions.promptAndWait(session, "[[shell: touch by-person]] [[text: done]]");
    const request = await first<PermissionRequest>(["permission", "ls"]);
    assert.deepEqual([request.session, request.tool, request.patterns], [session, "bash", ["touch by-person"]]);
    const { code, stdout } = await place.run(["permission", "reply", request.id.slice(0, 16), "once"]);
    assert.deepEqual([code, stdout], [0, `${request.id}: once\n`]);
    assert.equal((await turn).result.outcome, "completed");
    assert.equal(did("by-person"), true);
    assert.equal((await place.run(["permission", "reply", request.id, "once"])).code, 4);
  });

  test("[H-051] a rejection reaches the model with the person's words", async () => {
    const turn = client.sessions.promptAndWait(session, "[[shell: touch rejected]] [[text: done]]");
    const request = await first<PermissionRequest>(["permission", "ls", session]);
    await place.run(["permission", "reply", request.id, "reject", "--message", "not now"]);
    await turn;
    assert.match(String((await outputs()).at(-1)), /not now/);
    assert.equal(did("rejected"), false);
  });

  test("[H-052] a question is shown with its choices and answered", async () => {
    const questions = [{ question: "Which colour?", header: "Colour", options: [{ label: "Red", description: "warm" }, { label: "Blue", description: "cold" }] }];
    const turn = client.sessions.promptAndWait(session, `[[tool question ${JSON.stringify({ questions })}]] [[text: thanks]]`);
    const request = await first<QuestionRequest>(["question", "ls"]);
    const page = await place.run(["question", "ls"]);
    assert.match(page.stdout, /Which colour\?\n {2}- Red: warm\n {2}- Blue: cold\n {2}\(or your own words\)\nbeeuni question reply que_/);
    assert.deepEqual((await place.run(["question", "reply", request.id])).code, 2);
    assert.deepEqual(await place.run(["question", "reply", request.id, "--answer", "Blue"]), { code: 0, stdout: `answered ${request.id}\n`, stderr: "" });
    await turn;
    const { messages } = await stateOf();
    const asked = messages.flatMap(({ parts }) => parts).findLast((part) => part.type === "tool")!;
    assert.ok(asked.type === "tool" && asked.state.status === "completed" && asked.state.output.includes("Colour: Blue"), JSON.stringify(asked));
  });

  test("[H-012] run -r goes through the server: the same text, the same result, its own flags", async () => {
    const result = RunResult.parse(await place.json(["run", "-r", session, "--allow", "bash:touch *", "[[shell: touch through]] [[text: by the server]]"]));
    assert.deepEqual([result.answer, result.session.id, did("through")], ["by the server", session, true]);
    const refused = await place.run(["run", "-r", session, "[[shell: touch refused-too]] [[text: x]]"]);
    assert.match(refused.stderr, /through the server at http:\/\/127\.0\.0\.1/);
    assert.match(refused.stdout.replace(/\s+/g, " "), /✗ rejected: .*--allow 'bash:touch refused-too'/);
    assert.equal(did("refused-too"), false);
  });

  test("a prompt that comes after a turn that waits says so, and what it waits for", async () => {
    const turn = client.sessions.promptAndWait(session, "[[shell: touch waited]] [[text: done]]");
    const request = await first<PermissionRequest>(["permission", "ls"]);
    const child = place.start(["run", "-r", session, "-q", "[[text: after it]]"]);
    const end = finished(child);
    await shows(child.stderr, "a turn runs in this session, and this prompt comes after it; it waits for an answer: beeuni permission ls\n");
    await place.run(["permission", "reply", request.id, "once"]);
    await turn;
    assert.deepEqual([(await end).code, (await end).stdout, did("waited")], [0, "after it\n", true]);
  });

  test("session abort stops the turn that another client waits for", async () => {
    const child = place.start(["run", "-r", session, "[[say: begun]] [[hang]]"]);
    const end = finished(child);
    await shows(child.stderr, "through the server");
    for (;;) if ((await place.json<{ aborted: boolean }>(["session", "abort", session])).aborted) break;
    assert.equal((await end).code, 130);
    assert.deepEqual(await place.run(["session", "abort", session]), { code: 0, stdout: `nothing runs in ${session}\n`, stderr: "" });
  });

  test("session rm takes the session out of the server too", async () => {
    assert.deepEqual(await place.run(["session", "rm", session]), { code: 0, stdout: `removed ${session}\n`, stderr: "" });
    assert.equal((await place.run(["session", "show", session])).code, 4);
    assert.ok(!(await client.sessions.list()).some(({ id }) => id === session));
  });

  test("a run whose server is killed ends with an error, not a wait", async () => {
    const other = (await client.sessions.create()).id;
    const child = place.start(["run", "-r", other, "[[hang]]"]);
    const end = finished(child);
    await shows(child.stderr, "through the server");
    while ((await client.sessions.get(other)).status.type === "idle") await new Promise((resolve) => setTimeout(resolve, 20));
    server.kill("SIGKILL");
    const { code, stderr } = await end;
    assert.equal(code, 1);
    assert.match(stderr, /error: the server at http:.* is gone, and the turn with it\nhint: /);
    const resumed = await place.run(["run", "-r", other, "-q", "[[text: without it]]"]);
    assert.deepEqual([resumed.code, resumed.stdout], [0, "without it\n"]);
    server = place.start(["serve", "--model", "faux/demo", "--json"]);
    await shows(server.stdout, "tokenFile");
  });
});
after(() => place.remove());
