import { execFile } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

/** How npm is run: the program, the arguments before npm's own, and its version. */
export interface NpmCommand {
  program: string;
  args: string[];
  env: { [name: string]: string };
  version: string;
}

const run = promisify(execFile);

/**
 * Finds npm beside the running Node or in PATH. Its script is run by this Node: npm on an old Node silently takes older
 * versions of what a package depends on. Where that does not work (an npm that is no script, or one that needs its own
 * Node) it is run as it is. Null when there is none.
 */
export async function findNpm(env: NodeJS.ProcessEnv, node = process.execPath): Promise<NpmCommand | null> {
  for (const script of await scripts(env, node)) {
    const command = { program: node, args: [script], env: modulePath(script) };
    const version = await versionOf(command, env);
    if (version !== null) return { ...command, version };
  }
  for (const program of await inPath("npm", env)) {
    const command = { program, args: [], env: {} };
    const version = await versionOf(command, env);
    if (version !== null) return { ...command, version };
  }
  return null;
}

async function scripts(env: NodeJS.ProcessEnv, node: string): Promise<string[]> {
  const bin = dirname(node);
  const beside = [join(bin, "../lib/node_modules/npm/bin/npm-cli.js"), join(bin, "node_modules/npm/bin/npm-cli.js")];
  const given = env["npm_execpath"]?.endsWith("npm-cli.js") === true ? [env["npm_execpath"]] : [];
  const linked = await Promise.all((await inPath("npm", env)).map((path) => realpath(path)));
  const found: string[] = [];
  for (const path of [...beside, ...given, ...linked.filter((path) => basename(path) === "npm-cli.js")]) {
    if (!found.includes(path) && (await isFile(path))) found.push(path);
  }
  return found;
}

async function inPath(name: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const candidates = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "").map((folder) => join(folder, name));
  const found = await Promise.all(candidates.map(isFile));
  return candidates.filter((_, index) => found[index]);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}

async function versionOf(command: Omit<NpmCommand, "version">, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { stdout } = await run(command.program, [...command.args, "--version"], { env: { ...env, ...command.env }, timeout: 30_000 });
    return /^\d+\.\d+\.\d+\S*$/m.exec(stdout)?.[0] ?? null;
  } catch {
    return null;
  }
}

/** Some distributions keep npm's own packages beside it, in a folder that only their Node looks into. */
function modulePath(script: string): { [name: string]: string } {
  const folder = dirname(dirname(dirname(script)));
  return basename(folder) === "node_modules" ? {} : { NODE_PATH: folder };
}
