import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { BeeuniError } from "@beeuni/protocol/errors";
import { readFlags, readSetFlags, writeFlag } from "./flags.ts";

const folder = mkdtempSync(join(tmpdir(), "beeuni-flags-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "project/flags.json");

test("[H-028] without a flag file the gateway is on and pi_harness is off", async () => {
  assert.deepEqual(await readFlags(file), { llm_gateway: true, pi_harness: false });
});

test("a flag is set, read, and given back its default", async () => {
  await writeFlag(file, "pi_harness", true);
  await writeFlag(file, "llm_gateway", false);
  assert.deepEqual(await readFlags(file), { llm_gateway: false, pi_harness: true });
  await writeFlag(file, "llm_gateway", null);
  assert.deepEqual(await readSetFlags(file), { pi_harness: true });
  assert.equal(readFileSync(file, "utf8"), '{"pi_harness":true}\n');
});

test("[H-027] the flag of one project says nothing about another's", async () => {
  assert.deepEqual(await readFlags(join(folder, "other/flags.json")), { llm_gateway: true, pi_harness: false });
});

for (const [text, why] of [["{", /bad\.json: .*JSON/], ["[]", /must be an object/], ['{"pi_harnes":true,"llm_gateway":"no"}', /there is no flag "pi_harnes"; llm_gateway must be true or false/]] as const) {
  test(`a flag file with ${text} is refused, with all its problems`, async () => {
    const bad = join(folder, "bad.json");
    writeFileSync(bad, text);
    await assert.rejects(readFlags(bad), (error) => error instanceof BeeuniError && error.code === "invalid_config" && why.test(error.message) && error.hint !== undefined);
  });
}
