import { mkdtemp, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadProject } from "./load-project.ts";
import type { Project } from "./project.ts";

/** A project folder for one test, removed at the end of its scope. */
export async function projectWith(files: { [path: string]: string | Uint8Array }): Promise<{ directory: string; load(): Promise<Project> } & AsyncDisposable> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "beeuni-project-")));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return {
    directory,
    load: () => loadProject(directory, { runtimes: ["standard-harness", "small-harness"] }),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

export const MANIFEST = "beeuni_version: 2\ndefault_agent: a\nagents:\n  a: {}\n";
