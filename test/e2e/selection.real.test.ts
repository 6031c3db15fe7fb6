import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Health } from "@beeuni/protocol";
import { beeuni, beeuniJson } from "./support/cli.ts";
import { Place } from "./support/place.ts";
import { Server } from "./support/serve.ts";
import { completed } from "./support/session.ts";

/** The smallest project, with or without `runtime`. */
const project = (runtime?: string): { [path: string]: string } => ({
  "beeuni.yaml": `beeuni_version: 2\ndefault_agent: a\n${runtime === undefined ? "" : `runtime: ${runtime}\n`}agents:\n  a: {}\n`, "agents/a.md": "You are a.",
});

describe("which harness a session runs", () => {
  let place: Place;
  let server: Server;
  before(async () => {
    place = new Place(project());
    server = await Server.start(place, ["--model", "faux/demo"]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  const flag = async (name: string, value: string): Promise<string> => (await beeuni(place, ["flag", "set", name, value])).stdout;

  /** The flag file of the project, written as `flag set` does. */
  function flags(values: { llm_gateway?: boolean; pi_harness?: boolean }): void {
    const folder = join(place.home, "projects", shortHash());
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "flags.json"), JSON.stringify(values));
  }
  /** The project's own folder under the home: the one that the server's token lies in. */
  function shortHash(): string {
    const { tokenFile } = JSON.parse(server.cli.stdout) as { tokenFile: string };
    return tokenFile.split("/").at(-2)!;
  }
  function write(runtime?: string): void {
    for (const [path, text] of Object.entries(project(runtime))) place.write(path, text);
  }

  /** The harness of a new session, or the error that it ends with. */
  async function started(): Promise<{ harness: string; rule: number } | { code: string; error: string; hint: string }> {
    const { status, body } = await server.fetch("/beeuni/runtime/sessions", { method: "POST", body: {} });
    if (status === 201) {
      const { harness } = (await server.client.health((body as { id: string }).id));
      return { harness: harness.id, rule: harness.decision.rule };
    }
    const { code, error, hint } = body as { code: string; error: string; hint: string };
    return { code, error, hint };
  }

  test("[H-014] [H-018] [H-019] [H-020] [H-021] [H-022] [H-024] [H-152] the twelve rows, each with a session that is really started or refused", async () => {
    const seen: string[] = [];
    const wanted: string[] = [];
    for (const gateway of [true, false]) {
      for (const experimental of [true, false]) {
        for (const runtime of [undefined, "opencode", "pi"]) {
          flags({ llm_gateway: gateway, pi_harness: experimental });
          write(runtime);
          const row = `llm_gateway ${gateway}, pi_harness ${experimental}, runtime ${runtime}`;
          const rule = !gateway ? 1 : experimental ? 2 : runtime === "pi" ? 3 : 4;
          wanted.push(`${row}: ${rule === 1 || rule === 4 ? "opencode" : "pi"}`);
          const result = await started();
          if ("harness" in result) {
            assert.equal(result.rule, rule, row);
            seen.push(`${row}: ${result.harness}`);
            continue;
          }
          // The standard harness has no adapter here: refused with the ways out, and never another one in its place.
          assert.equal(result.code, "harness_unavailable");
          assert.match(result.hint, /runtime: pi.*--harness pi/);
          seen.push(`${row}: ${/would be (\w+) \(/.exec(result.error)?.[1]}`);
        }
      }
    }
    assert.deepEqual(seen, wanted);
  });

  test("[H-005] [H-021] with the required keys only and all flags at their defaults health says opencode, and a session is an error that names the ways out", async () => {
    flags({});
    write();
    const { status, harness, runtimeReady } = await server.client.health();
    assert.deepEqual([harness.id, harness.decision.rule, status, runtimeReady], ["opencode", 4, "error", false]);
    const { code, stderr } = await beeuni(place, ["run", "--model", "faux/demo", "hi"]);
    assert.deepEqual([code, stderr.split("\n").slice(1)], [1, [
      "error: the harness of this session would be opencode (no other rule matches), but this installation has no adapter for opencode",
      "hint: write `runtime: pi` in beeuni.yaml or give `--harness pi`", "",
    ]]);
    const asked = await beeuni(place, ["run", "-q", "--harness", "pi", "--model", "faux/demo", "[[text: on pi]]"]);
    assert.deepEqual([asked.code, asked.stdout], [0, "on pi\n"]);
  });

  test("[H-027] [H-028] a flag is of one project and off at first; flag ls and set", async () => {
    using other = new Place(project());
    write();
    flags({});
    const listed = (at: Place): Promise<unknown> => beeuniJson(at, ["flag", "ls"]);
    const defaults = [{ name: "llm_gateway", value: true, default: true }, { name: "pi_harness", value: false, default: false }];
    assert.deepEqual(await listed(place), defaults);
    assert.equal(await flag("pi_harness", "on"), `pi_harness is on for ${place.project}; sessions follow at their next start or resume\n`);
    assert.deepEqual(await started(), { harness: "pi", rule: 2 });
    assert.deepEqual(await listed(other), defaults);
    const env = { BEEUNI_HOME: place.home };
    assert.deepEqual(await beeuniJson(other, ["flag", "ls"], { env }), defaults, "of one home, too");
    const { code, stderr } = await beeuni(other, ["run", "--model", "faux/demo", "hi"], { env });
    assert.match(`${code} ${stderr}`, /^1 [^]*would be opencode/);
  });

  test("[H-015] [H-016] [H-017] [H-029] decided at start, restart and resume, and kept in between", async () => {
    flags({ pi_harness: true });
    write();
    const { client } = server;
    const { id } = await client.sessions.create();
    const health = async (): Promise<[string, string]> => {
      const { harness } = (await server.fetch(`/beeuni/health?session=${id}`)).body as Health;
      return [harness.id, `rule ${harness.decision.rule}`];
    };
    assert.deepEqual(await health(), ["pi", "rule 2"]);
    // The flag turns under the running session: it keeps its harness, and the next turn runs on it.
    flags({ pi_harness: false });
    await completed(client, id, "[[text: still here]]");
    assert.deepEqual(await health(), ["pi", "rule 2"]);
    assert.equal((await client.sessions.get(id)).harness, "pi");
    // A restart decides anew: the rule now says opencode, which is refused; nothing is lost.
    await assert.rejects(client.sessions.restart(id), { code: "harness_unavailable" });
    assert.equal((await client.sessions.state(id)).messages.length, 2);
    await assert.rejects(client.sessions.promptAndWait(id, "[[text: no]]"), { code: "harness_unavailable" });
    write("pi");
    assert.equal((await client.sessions.restart(id)).harness.decision.rule, 3);
    await completed(client, id, "[[text: again]]");
    // A resume in another process decides anew as well.
    await server.stop();
    flags({ pi_harness: true });
    const resumed = await beeuniJson<{ session: { harness: string } }>(place, ["run", "-r", id, "[[text: resumed]]"]);
    assert.equal(resumed.session.harness, "pi");
    assert.equal((await beeuniJson<{ opened: { decision: { rule: number } } }>(place, ["session", "show", id])).opened.decision.rule, 2);
    server = await Server.start(place, ["--model", "faux/demo"]);
    assert.equal((await server.client.sessions.state(id)).messages.length, 6);
  });

  test("[H-004] exactly opencode and pi are platform harnesses; an unknown BEEUNI_HARNESS fails and is named", async () => {
    const rows = await beeuniJson<{ id: string; platform: string | null }[]>(place, ["harness", "ls"]);
    assert.deepEqual(rows.filter(({ platform }) => platform !== null).map(({ id, platform }) => `${id} ${platform}`), ["opencode standard", "pi experimental"]);
    const { code, stderr } = await beeuni(place, ["run", "--model", "faux/demo", "hi"], { env: { BEEUNI_HARNESS: "foo" } });
    assert.deepEqual([code, stderr.split("\n").slice(1)], [4, ['error: there is no harness "foo"', "hint: known harnesses: opencode, pi", ""]]);
  });

  test("[H-025] runtime is a key of the manifest, with these values and no other", async () => {
    write("pi");
    assert.deepEqual(await beeuni(place, ["validate"]).then(({ code, stdout }) => [code, stdout]), [0, "beeuni.yaml is valid\n"]);
    write("foo");
    assert.deepEqual(await beeuni(place, ["validate"]).then(({ code, stderr }) => [code, stderr]), [1, '1 error(s):\n  beeuni.yaml:3:1 runtime: runtime must be one of: opencode, pi (got "foo").\n']);
    const { body } = await server.fetch("/beeuni/runtime/sessions", { method: "POST", body: {} });
    assert.deepEqual([(body as { code: string }).code, (body as { error: string }).error], ["invalid_project", 'beeuni.yaml:3:1 runtime: runtime must be one of: opencode, pi (got "foo").']);
  });
});
