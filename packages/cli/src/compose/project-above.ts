import { access } from "node:fs/promises";
import { dirname, join } from "node:path";

const MANIFEST_FILE = "beeuni.yaml";

/**
 * The nearest folder above `directory` that is a project, when `directory` is none: a person who stands in a sub-folder
 * would otherwise run without the project's rules and not know. A repository ends the search.
 */
export async function projectAbove(directory: string): Promise<string | undefined> {
  if (await exists(join(directory, MANIFEST_FILE))) return undefined;
  let folder = directory;
  while (folder !== dirname(folder) && !(await exists(join(folder, ".git")))) {
    folder = dirname(folder);
    if (await exists(join(folder, MANIFEST_FILE))) return folder;
  }
  return undefined;
}

/** What to say about it, in one line; undefined when there is nothing to say. */
export async function projectAboveLine(directory: string): Promise<string | undefined> {
  const project = await projectAbove(directory);
  return project && `warning: ${directory} has no ${MANIFEST_FILE}: the agents and rules of ${project} don't hold here (they do with --dir ${project})`;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(() => true, () => false);
}
