import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { checkToolModule } from "./check-module.ts";
import { importFresh } from "./import-module.ts";
import type { LoadedTool, LoadedTools, LoadToolsOptions } from "./tool.ts";

const LOAD_TIMEOUT_MS = 10_000;

/**
 * Loads the tools of a session: Beeuni's own first, then the project's modules, one fresh instance per call. A module
 * that fails is skipped with its reason and the rest load; a project module replaces the Beeuni tool of its name.
 * Never rejects. A module that blocks the event loop while it loads can't be stopped from inside the process.
 */
export async function loadTools(options: LoadToolsOptions): Promise<LoadedTools> {
  const tools = new Map<string, LoadedTool>();
  const failed: LoadedTools["failed"] = [];
  for (const [name, module] of Object.entries(options.system ?? {})) {
    tools.set(name, { name, source: "beeuni", path: `beeuni:${name}`, digest: null, ...module });
  }
  // One after the other: modules may share state at load, and a failure names the module that caused it.
  for (const { name, path } of options.modules) {
    const loaded = await loadProjectTool(name, path, options);
    if ("error" in loaded) {
      failed.push({ name, path, error: loaded.error });
      // The project replaced the Beeuni tool of this name: it does not come back because the replacement is broken.
      tools.delete(name);
    } else tools.set(name, loaded);
  }
  return { tools: [...tools.values()], failed };
}

async function loadProjectTool(name: string, path: string, options: LoadToolsOptions): Promise<LoadedTool | { error: string }> {
  if (options.directory === null) return { error: "this session has no project checkout to load it from" };
  const root = await realpath(options.directory);
  const file = await realpath(join(root, path)).catch(() => null);
  if (relative(root, join(root, path)).startsWith("..") || (file !== null && !file.startsWith(root + sep))) {
    return { error: `${path} leaves the project checkout` };
  }
  if (file === null) return { error: `${path} does not exist` };
  try {
    const digest = createHash("sha256").update(await readFile(file)).digest("hex");
    const exported = await within(options.timeoutMs ?? LOAD_TIMEOUT_MS, importFresh(file, root));
    const checked = checkToolModule(exported);
    if ("error" in checked) return checked;
    return { name, source: "project", path, digest, ...checked.module };
  } catch (thrown) {
    return { error: `${path}: ${importMessage(thrown, root)}` };
  }
}

async function within<T>(milliseconds: number, loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the import did not finish within ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
    loading.catch(() => undefined);
  }
}

/** One line, with paths as the project knows them. */
function importMessage(thrown: unknown, root: string): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.split("\nRequire stack:")[0]!.replaceAll(root + sep, "").replace(/\s+/g, " ").trim() || "the import failed without a message";
}
