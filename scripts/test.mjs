// The test runner's front: `fast` (no download, loopback only), `real` (drives the real harness programs), `all`.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [mode = "all", ...only] = process.argv.slice(2);
if (!["fast", "real", "all"].includes(mode)) {
  console.error(`error: unknown mode "${mode}"\nhint: node scripts/test.mjs fast|real|all [path part …]`);
  process.exit(2);
}

const files = globSync("{packages,conformance,test}/**/*.test.ts", { cwd: root, exclude: (path) => path.includes("node_modules") }).sort();
const isReal = (file) => file.endsWith(".real.test.ts");
const wanted = (file) => only.length === 0 || only.some((part) => file.includes(part));

/** Without what a developer's shell says to beeuni: a fast test reads its own. */
const plainEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("BEEUNI_")));

function run(title, command, args, env = process.env) {
  console.error(`\n── ${title}`);
  const started = Date.now();
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", env });
  console.error(`── ${title}: ${result.status === 0 ? "passed" : "FAILED"} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function runTests(title, selected, concurrency, env) {
  const chosen = selected.filter(wanted);
  if (chosen.length === 0) {
    if (only.length === 0) {
      console.error(`error: no test file for "${title}"`);
      process.exit(1);
    }
    return;
  }
  // A test file that hangs is a failure, not a wait: no single test needs more than four minutes.
  run(title, process.execPath, ["--test", `--test-concurrency=${concurrency}`, "--test-timeout=240000", "--test-reporter=dot", ...chosen], env);
}

if (mode !== "real") {
  if (only.length === 0) run("types", process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."]);
  runTests("fast tests", files.filter((file) => !isReal(file)), 4, plainEnv);
}
if (mode !== "fast") {
  run("harness toolchains", join(root, "beeuni"), ["harness", "install", "--all"]);
  runTests("real harness tests", files.filter(isReal), 2, process.env);
}
