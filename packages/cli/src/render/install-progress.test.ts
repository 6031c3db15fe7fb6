import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstallProgress } from "@beeuni/harness";
import { captureSink } from "../testing/capture.ts";
import { InstallProgressLine } from "./install-progress.ts";

const step = (phase: InstallProgress["phase"], elapsedMs: number, megabytes: number): InstallProgress => ({ harness: "pi", version: "1.6.0", phase, elapsedMs, megabytes, expectedMegabytes: 120 });
const steps = [step("downloading", 0, 0), step("downloading", 4000, 30), step("downloading", 10_000, 80), step("verifying", 12_000, 118), step("done", 12_500, 118)];

test("in a log: a line per phase and one every ten seconds", () => {
  const out = captureSink();
  const line = new InstallProgressLine(out.sink);
  for (const progress of steps) line.show(progress);
  assert.equal(
    out.text(),
    "beeuni: installing pi 1.6.0: 0 of about 120 MB, 0ms\n" +
      "beeuni: installing pi 1.6.0: 80 of about 120 MB, 10.0s\n" +
      "beeuni: installing pi 1.6.0: checking\n" +
      "beeuni: installed pi 1.6.0: 118 MB in 12.5s\n",
  );
});

test("on a terminal: one line, written over, inside the width, and left behind whole", () => {
  const out = captureSink({ terminal: true, columns: 40 });
  const line = new InstallProgressLine(out.sink);
  for (const progress of steps) line.show(progress);
  const frames = out.text().split("\r\x1b[K");
  assert.deepEqual(frames.map((frame) => frame.replace("\n", "⏎")), [
    "",
    "beeuni: installing pi 1.6.0: 0 of abou…",
    "beeuni: installing pi 1.6.0: 30 of abo…",
    "beeuni: installing pi 1.6.0: 80 of abo…",
    "beeuni: installing pi 1.6.0: checking",
    "beeuni: installed pi 1.6.0: 118 MB in …⏎",
  ]);
});

test("who waited for another process's installation is not told a size", () => {
  const out = captureSink();
  const line = new InstallProgressLine(out.sink);
  for (const progress of [step("waiting", 10, 0), step("done", 12_500, 0)]) line.show(progress);
  assert.equal(out.text(), "beeuni: another process is installing pi 1.6.0: waiting, 10ms\nbeeuni: pi 1.6.0 was installed by the other process, 12.5s\n");
});
