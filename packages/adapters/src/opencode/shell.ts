import { accessSync, constants } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { CALL_VARIABLE } from "./plugin.ts";

/** The shell of the agent's commands: the first bash of its PATH, else the usual one, else sh. */
export function findShell(path: string | undefined): string {
  const folders = [...(path ?? "").split(delimiter).filter((folder) => folder !== ""), "/bin"];
  return folders.map((folder) => join(folder, "bash")).find(isExecutable) ?? "/bin/sh";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** OpenCode knows a shell by its file name. */
export function shellFile(shell: string): string {
  return join("shell", basename(shell));
}

/**
 * What OpenCode runs as its shell. OpenCode's commands inherit its environment, password and all; these get the environment that
 * the host allows and nothing else. Before that the shell says which process group it leads, and for which call.
 */
export function shellText(shell: string, groups: string, env: { readonly [name: string]: string }): string {
  const settings = Object.entries(env).filter(([name]) => /^[A-Za-z_]\w*$/.test(name)).map(([name, value]) => quoted(`${name}=${value}`));
  return `#!/bin/sh
printf '%s\\n' "$${CALL_VARIABLE}" > ${quoted(groups)}/$$
exec /usr/bin/env -i ${settings.join(" ")} ${quoted(shell)} "$@"
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
