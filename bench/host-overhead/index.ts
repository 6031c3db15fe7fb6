// What Beeuni costs over the bare harness: per turn CPU, wall, RSS and PSS on the same script, cold and warm, in interleaved
// rounds with a fresh process for each. Ratios of medians are the result; absolute numbers are this machine's.
//   scripts/node bench/host-overhead/index.ts [--rounds 20] [--warm 10] [--json]
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { TurnSample } from "./measure.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const { values } = parseArgs({ options: { rounds: { type: "string", default: "20" }, warm: { type: "string", default: "10" }, json: { type: "boolean", default: false } } });
const rounds = Number(values.rounds);
const warmTurns = Number(values.warm);
const toolchain = join(process.env["BEEUNI_TOOLCHAINS"] ?? join(homedir(), ".beeuni/harnesses"), "pi@1.6.0");

const SENTENCE = "The notes name three open points, and each of them has an owner and a date. ";
const PROMPT = `[[tool read {"path":"notes.txt"}]] [[text: ${SENTENCE.repeat(6)}done]]`;

type Side = "bare" | "hosted";
const SIDES: readonly Side[] = ["bare", "hosted"];
interface Round {
  cold: TurnSample;
  warm: TurnSample[];
}

const work = mkdtempSync(join(tmpdir(), "beeuni-bench-"));
const samples: Record<Side, Round[]> = { bare: [], hosted: [] };
const server = spawn(process.execPath, [join(here, "model-server.ts")], { stdio: ["pipe", "pipe", "inherit"] });
try {
  const modelUrl = await firstLine(server);
  for (let round = 0; round < rounds; round++) {
    // Which side goes first changes, so that neither always meets the colder machine.
    for (const side of round % 2 === 0 ? SIDES : [...SIDES].reverse()) {
      samples[side].push(await measure(side, modelUrl, join(work, `${side}-${round}`)));
    }
    if (process.stderr.isTTY) process.stderr.write(`\rround ${round + 1} of ${rounds} `);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
} finally {
  server.stdin.end();
  rmSync(work, { recursive: true, force: true });
}

const startUp = { version: userAndSystem([join(root, "beeuni"), "--version"]), node: userAndSystem([process.execPath, "-e", "0"]) };
if (values.json) console.log(JSON.stringify({ rounds, warmTurns, samples, startUp }));
else console.log(report());

async function measure(side: Side, modelUrl: string, folder: string): Promise<Round> {
  const workspace = join(folder, "workspace");
  spawnSync("mkdir", ["-p", workspace]);
  writeFileSync(join(workspace, "notes.txt"), SENTENCE.repeat(20));
  const args = side === "bare" ? ["bare.ts", toolchain, modelUrl, workspace, join(folder, "state"), PROMPT] : ["hosted.ts", modelUrl, workspace, join(folder, "home"), PROMPT];
  const child = spawn(process.execPath, [join(here, args[0]!), ...args.slice(1)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, BEEUNI_TOOLCHAINS: join(toolchain, ".."), PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0", NODE_COMPILE_CACHE: join(work, `compile-${side}`) },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const turn = async (): Promise<TurnSample> => {
    child.stdin.write("turn\n");
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`the ${side} side ended early`);
    return JSON.parse(value) as TurnSample;
  };
  const cold = await turn();
  const warm: TurnSample[] = [];
  for (let index = 0; index < warmTurns; index++) warm.push(await turn());
  child.stdin.end();
  await new Promise((resolve) => child.once("exit", resolve));
  return { cold, warm };
}

function report(): string {
  const rows: string[] = [];
  const add = (name: string, unit: string, pick: (round: Round) => number, digits = 1): void => {
    const bare = median(samples.bare.map(pick));
    const hosted = median(samples.hosted.map(pick));
    rows.push(`| ${name} | ${bare.toFixed(digits)} ${unit} | ${hosted.toFixed(digits)} ${unit} | ${(hosted - bare).toFixed(digits)} ${unit} | ${(hosted / bare).toFixed(2)} |`);
  };
  const warm = (key: keyof TurnSample) => (round: Round): number => median(round.warm.map((sample) => sample[key]));
  add("cold start and first turn, CPU", "ms", (round) => round.cold.cpuMs, 0);
  add("cold start and first turn, wall", "ms", (round) => round.cold.wallMs, 0);
  add("warm turn, CPU", "ms", warm("cpuMs"));
  add("warm turn, wall", "ms", warm("wallMs"));
  add("RSS after the warm turns", "MB", (round) => round.warm.at(-1)!.rssMb, 0);
  add("PSS after the warm turns", "MB", (round) => round.warm.at(-1)!.pssMb, 0);
  return [
    `${rounds} interleaved rounds, one cold and ${warmTurns} warm turns each (two model calls and one \`read\` per turn); medians.`,
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${new Date().toISOString().slice(0, 10)}.`,
    "", "| | bare SDK | Beeuni | difference | ratio |", "| --- | --- | --- | --- | --- |", ...rows, "",
    `\`beeuni --version\`: ${startUp.version.toFixed(0)} ms user + system (an empty Node program: ${startUp.node.toFixed(0)} ms); medians of 20.`,
  ].join("\n");
}

/** Median user + system time of a command over 20 runs after one that fills the caches. Milliseconds. */
function userAndSystem(command: string[]): number {
  const times: number[] = [];
  for (let run = 0; run < 21; run++) {
    const result = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$@" >/dev/null', "-", ...command], { encoding: "utf8" });
    const [user = "0", system = "0"] = result.stderr.trim().split("\n").at(-1)!.split(" ");
    times.push((Number(user) + Number(system)) * 1000);
  }
  return median(times.slice(1));
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error("the model server did not start");
}
