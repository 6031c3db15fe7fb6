import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A trace folder that does not exist yet; its parent goes away after the test. */
export async function scratchTrace(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "beeuni-trace-"));
  t.after(() => rm(parent, { recursive: true, force: true }));
  return join(parent, "ses_x");
}
