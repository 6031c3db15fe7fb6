import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Routes } from "../environment.ts";
import type { WireOptions } from "./options.ts";

/** Documents of which this server has nothing; clients ask for them at their start. */
const EMPTY: { [path: string]: unknown } = {
  "/command": [], "/lsp": [], "/formatter": [], "/skill": [], "/provider/auth": {},
  "/experimental/capabilities": { backgroundSubagents: false },
  "/experimental/console": { consoleManagedProviders: [], switchableOrgCount: 0 },
  "/experimental/resource": {}, "/experimental/workspace": [], "/experimental/workspace/status": [],
};

export function documentRoutes(routes: Routes, { daemon, context: { projectID, version } }: WireOptions): void {
  const { directory, facts: { startedAt } } = daemon;
  const project = async (): Promise<object> => ({
    id: projectID, worktree: directory, ...((await gitFolder(directory)) === null ? {} : { vcs: "git" }), time: { created: startedAt, updated: startedAt }, sandboxes: [],
  });

  routes.get("/global/health", (context) => context.json({ healthy: true, version }));
  routes.get("/path", (context) => context.json({ home: homedir(), state: daemon.home, config: daemon.home, worktree: directory, directory }));
  routes.get("/project", async (context) => context.json([await project()]));
  routes.get("/project/current", async (context) => context.json(await project()));
  routes.get("/project/:id/directories", (context) => context.json([{ directory }]));
  routes.get("/vcs", async (context) => context.json(await branchOf(directory)));
  for (const [path, document] of Object.entries(EMPTY)) routes.get(path, (context) => context.json(document as object));

  /** A client's own log line. */
  routes.post("/log", async (context) => {
    await context.req.text();
    return context.json(true);
  });
}

/** The folder's `.git`, also that of a linked worktree; null when it is no checkout's root. */
async function gitFolder(directory: string): Promise<string | null> {
  const path = join(directory, ".git");
  try {
    if ((await stat(path)).isDirectory()) return path;
    const target = /^gitdir: (.+)$/m.exec(await readFile(path, "utf8"))?.[1];
    return target === undefined ? null : resolve(directory, target);
  } catch {
    return null;
  }
}

async function branchOf(directory: string): Promise<{ branch?: string }> {
  const folder = await gitFolder(directory);
  if (folder === null) return {};
  const head = await readFile(join(folder, "HEAD"), "utf8").catch(() => "");
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  return branch === undefined ? {} : { branch };
}
