import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, count, counted, duration, size } from "./numbers.ts";

test("counts, durations, sizes and ages read as people say them", () => {
  assert.deepEqual([0, 999, 1204, 1234567].map(count), ["0", "999", "1,204", "1,234,567"]);
  assert.deepEqual([-5, 84, 999.6, 3210, 59_949, 59_960, 125_000, 3_840_000].map(duration), ["0ms", "84ms", "1.0s", "3.2s", "59.9s", "1m00s", "2m05s", "1h04m"]);
  assert.deepEqual([0, 999, 4096, 999_960, 20_000_000].map(size), ["0 B", "999 B", "4.1 kB", "1.0 MB", "20.0 MB"]);
  assert.deepEqual([0, 1, 1204].map((value) => counted(value, "file")), ["0 files", "1 file", "1,204 files"]);
  const now = Date.UTC(2026, 5, 30);
  assert.deepEqual([now, now - 240_000, now - 3 * 3_600_000, now - 2 * 86_400_000, now - 40 * 86_400_000, now + 3_600_000].map((at) => ago(at, now)), ["now", "4m ago", "3h ago", "2d ago", "2026-05-21", "2026-06-30"]);
});
