import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Harness } from "@beeuni/harness";
import type { ConformanceReport } from "./report.ts";

/**
 * Folder of a harness's installed toolchain: below `BEEUNI_TOOLCHAINS` when that is set, else where `beeuni harness
 * install` puts it.
 */
export function toolchainFolder(harness: Harness, env: { readonly [name: string]: string | undefined } = process.env): string {
  const base = env["BEEUNI_TOOLCHAINS"] ?? join(env["BEEUNI_HOME"] ?? join(homedir(), ".beeuni"), "harnesses");
  return join(base, `${harness.id}@${harness.toolchain.version}`);
}

/**
 * Compares a run with the stored one, which the docs' matrix is made from; the day doesn't count. With
 * `BEEUNI_UPDATE_RESULTS=1` the stored one is replaced.
 */
export async function checkResults(path: string, report: ConformanceReport): Promise<void> {
  if (process.env["BEEUNI_UPDATE_RESULTS"] === "1") {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  const stored = JSON.parse(await readFile(path, "utf8").catch(() => "null")) as ConformanceReport | null;
  assert.deepEqual(
    { ...report, date: null }, { ...stored, date: null },
    `${path} tells another result; look at the failed tests, or run again with BEEUNI_UPDATE_RESULTS=1 when the harness has changed`,
  );
}
