import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** One measured turn of a process. CPU is user + system, milliseconds. Memory is megabytes at the turn's end. */
export interface TurnSample {
  cpuMs: number;
  wallMs: number;
  rssMb: number;
  pssMb: number;
}

/**
 * The measured side of the bench: runs one turn per line on stdin and answers one JSON line per turn. The first turn
 * counts from the process's start, so it is the cold one: loading, opening and the turn itself.
 */
export async function serveTurns(runTurn: () => Promise<void>, close: () => Promise<void>): Promise<void> {
  let cpu = 0;
  let started = performance.timeOrigin;
  for await (const _line of createInterface({ input: process.stdin })) {
    if (cpu !== 0) {
      cpu = cpuNow();
      started = Date.now();
    }
    await runTurn();
    const sample: TurnSample = { cpuMs: cpuNow() - cpu, wallMs: Date.now() - started, rssMb: process.memoryUsage.rss() / 1e6, pssMb: pssMb() };
    cpu = cpuNow();
    process.stdout.write(`${JSON.stringify(sample)}\n`);
  }
  await close();
}

function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function pssMb(): number {
  const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync("/proc/self/smaps_rollup", "utf8"));
  return line === null ? Number.NaN : (Number(line[1]) * 1024) / 1e6;
}
