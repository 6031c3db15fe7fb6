import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import type { NpmCommand } from "./find-npm.ts";

const OUTPUT_CHARACTERS = 65_536;
const REPORTED_LINES = 6;
const KILL_AFTER_MS = 500;

const FLAGS = [
  "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--no-update-notifier", "--no-progress", "--loglevel=error",
  "--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-factor=2", "--fetch-timeout=60000",
];

/** Settings of a command that runs us, which would change what npm does in our folder. */
const FOREIGN = /^npm_(?:lifecycle_|package_|config_(?:global|local_prefix|prefix|location|workspaces?|include_workspace_root|dry_run|package_lock(?:_only)?|omit|include|production|only|save|force|install_strategy|cache_min)$)/i;

/** Installs the package.json of the folder. Resolves with null, or with what npm said last when it failed. */
export async function runNpmInstall(npm: NpmCommand, folder: string, options: { env: NodeJS.ProcessEnv; offline: boolean; signal: AbortSignal | undefined }): Promise<string | null> {
  const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => !FOREIGN.test(name)));
  const args = [...npm.args, "install", "--prefix", folder, ...FLAGS, ...(options.offline ? ["--offline"] : [])];
  const child = spawn(npm.program, args, { cwd: folder, env: { ...env, ...npm.env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => { output = (output + text).slice(-OUTPUT_CHARACTERS); });
  }
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill("SIGTERM");
    killer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
  };
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    const end = await new Promise<string | null>((resolve) => {
      child.on("error", (error) => resolve(error.message));
      child.on("close", (code, signal) => resolve(code === 0 ? null : `npm ended with ${code === null ? `signal ${signal}` : `exit code ${code}`}`));
    });
    return end === null ? null : [end, ...whatWentWrong(output)].join("\n");
  } finally {
    options.signal?.removeEventListener("abort", stop);
    clearTimeout(killer);
  }
}

/** npm's own account: it begins with an error code, and ends in stack traces and advice. */
function whatWentWrong(output: string): string[] {
  const lines = stripVTControlCharacters(output).split("\n").map((line) => line.trimEnd())
    .filter((line) => line !== "" && !/^npm (?:error|ERR!)(?:$|\s+at |\s{2,}[\w']+: |\s*[{}]| errno | syscall | network$| A complete log)|-debug-\d+\.log$/.test(line));
  const start = lines.findIndex((line) => /^npm (?:error|ERR!) code /.test(line));
  return start < 0 ? lines.slice(-REPORTED_LINES) : lines.slice(start, start + REPORTED_LINES);
}
