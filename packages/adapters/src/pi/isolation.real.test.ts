import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sessionSpec, toolchainFolder } from "@beeuni/conformance";
import { BeeuniError } from "@beeuni/protocol";
import { createPi, pi as harness } from "./index.ts";
import { PiKit, systemOf } from "./testing/pi-kit.ts";

const EXTENSION = (file: string): string => `import { writeFileSync } from "node:fs";\nexport default (pi) => { writeFileSync(${JSON.stringify(file)}, "ran"); };\n`;

describe("Pi in this process", () => {
  test("[H-023] [H-152] reads nothing of the user's or the project's own Pi, contacts the gateway only, and leaves nothing open", async () => {
    await using pi = await PiKit.start();
    const home = join(pi.kit.folders.root, "home");
    const sprung = join(pi.kit.folders.root, "sprung");
    const traps: { [path: string]: string } = {
      ".pi/agent/AGENTS.md": "TRAP", ".pi/agent/SYSTEM.md": "TRAP", ".pi/agent/settings.json": JSON.stringify({ defaultProvider: "openai", defaultModel: "gpt-5", retry: { enabled: false }, packages: ["npm:nothing"] }),
      ".pi/agent/auth.json": JSON.stringify({ openai: { type: "api_key", key: "sk-trap" } }), ".pi/agent/models.json": JSON.stringify({ providers: { beeuni: { baseUrl: "http://127.0.0.1:1/v1", api: "openai-completions", apiKey: "trap", models: [{ id: "demo" }] } } }),
      ".pi/agent/extensions/trap.ts": EXTENSION(sprung), ".pi/agent/skills/trap/SKILL.md": "---\nname: trap\ndescription: TRAP\n---\n", ".agents/skills/trap/SKILL.md": "---\nname: trap\ndescription: TRAP\n---\n",
    };
    for (const [path, text] of Object.entries(traps)) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
    }
    await mkdir(join(pi.workspace, ".pi/extensions"), { recursive: true });
    await writeFile(join(pi.workspace, ".pi/extensions/trap.ts"), EXTENSION(sprung));
    const homeBefore = (await readdir(home, { recursive: true })).sort();

    const spec = sessionSpec(pi.kit.folders, { endpoint: pi.kit.endpoint, toolchainDir: toolchainFolder(harness) });
    const script = fileURLToPath(new URL("./testing/isolated-turns.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify({ spec })], {
      env: { ...process.env, HOME: home, OPENAI_API_KEY: "sk-trap", ANTHROPIC_API_KEY: "sk-trap", HTTPS_PROXY: "http://127.0.0.1:1", HTTP_PROXY: "http://127.0.0.1:1" },
    });
    const result = JSON.parse(stdout) as { ends: object[]; contacted: string[]; before: string[]; after: string[] };
    assert.deepEqual(result.ends, [{ outcome: "completed" }, { outcome: "completed" }]);
    assert.deepEqual(result.contacted, [new URL(pi.kit.endpoint.root).host]);
    assert.deepEqual(result.after, result.before, "timers, sockets or children are left after the close");
    assert.ok(pi.requests.length >= 4);
    for (const { body } of pi.kit.wire.exchanges) assert.doesNotMatch(body, /TRAP|sk-trap/);
    assert.deepEqual((await readdir(home, { recursive: true })).sort(), homeBefore, "Pi wrote into the user's home");
    assert.ok(!(await readdir(pi.kit.folders.root)).includes("sprung"), "an extension of the user's or the project's ran");
    assert.match(systemOf(pi.requests[0]!), /^You are a coding agent/);
  });

  test("what can't be opened is an error with advice, never another harness", async () => {
    await using pi = await PiKit.start();
    const open = (patch: object): Promise<unknown> => createPi().open(sessionSpec(pi.kit.folders, { endpoint: pi.kit.endpoint, toolchainDir: toolchainFolder(harness), ...patch }), { emit() {}, log() {}, authorize: async () => ({ allow: true }), ask: async () => [], runTool: async () => ({ output: "", metadata: {} }) });
    const fails = async (patch: object, code: string, message: RegExp): Promise<void> => {
      await assert.rejects(open(patch), (error: unknown) => {
        assert.ok(error instanceof BeeuniError, String(error));
        assert.equal(error.code, code);
        assert.match(error.message, message);
        assert.ok(error.hint !== undefined || code === "harness_start_failed");
        return true;
      });
    };
    await fails({ toolchainDir: "/nowhere" }, "harness_not_installed", /^Pi 1\.6\.0 is not installed \(no \/nowhere\//);
    await fails({ workspace: "/nowhere/at/all" }, "harness_start_failed", /^the workspace \/nowhere\/at\/all can't be opened/);
    await fails({ endpoint: { ...pi.kit.endpoint, models: [] } }, "no_model", /^the session has no model that Pi can call$/);
    await fails({ surface: "native" }, "feature_not_supported", /^Pi is driven with the project's tools/);
    const broken = join(pi.kit.folders.root, "broken");
    await mkdir(join(broken, dirname(harness.toolchain.probe)), { recursive: true });
    await writeFile(join(broken, harness.toolchain.probe), "export const VERSION = '9.9.9';\n");
    await fails({ toolchainDir: broken }, "harness_start_failed", /holds Pi 9\.9\.9, not 1\.6\.0$/);
  });
});
