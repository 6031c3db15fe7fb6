import type { Environment } from "../io.ts";

const NAMES = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR"];

/**
 * What the agent's commands see of this process's environment. A list of what they need and nothing else: keys, tokens
 * and everything that is beeuni's own stay behind.
 */
export function commandEnvironment(env: Environment): { [name: string]: string } {
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given.filter(([name]) => NAMES.includes(name) || name.startsWith("LC_")));
}
