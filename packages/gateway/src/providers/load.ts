import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Issue } from "@beeuni/protocol";
import type { Provider } from "../types.ts";
import { parseConfig } from "./config-document.ts";
import { providersFromConfig } from "./from-config.ts";
import { providerFromEnvironment } from "./from-environment.ts";
import { KNOWN_PROVIDERS } from "./known.ts";
import type { Environment } from "./secret.ts";

export interface LoadedProviders {
  /** Those of the configuration first, in its order; each with its default model first. */
  providers: Provider[];
  /** All at once. An error or a variable that is not set leaves one provider out, never the others. No message holds a key. */
  problems: Issue[];
}

/**
 * The providers of `<home>/config.json5` (`models.providers`) and of the environment. An entry of the configuration
 * replaces the environment's provider of the same id. Reads the file, asks no server.
 */
export function loadProviders({ home, env }: { home: string; env: Environment }): LoadedProviders {
  const problems: Issue[] = [];
  const configured = readConfig(join(home, "config.json5"), env, problems);
  const taken = new Set(configured.ids);
  const found = KNOWN_PROVIDERS.filter(({ id }) => !taken.has(id)).flatMap((known) => providerFromEnvironment(known, env, problems) ?? []);
  return { providers: [...configured.providers, ...found], problems };
}

/** `ids`: every entry's, also of those that were left out: the environment must not stand in for a broken entry. */
function readConfig(file: string, env: Environment, problems: Issue[]): { providers: Provider[]; ids: string[] } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") problems.push({ file, path: "<file>", message: `can't be read (${code})`, severity: "error" });
    return { providers: [], ids: [] };
  }
  const parsed = parseConfig(text, file);
  if ("problem" in parsed) {
    problems.push(parsed.problem);
    return { providers: [], ids: [] };
  }
  const providers = providersFromConfig(parsed.document, env, problems);
  const entries = parsed.document.get(["models", "providers"]);
  const keys = Object.values(entries ?? {}).map((entry) => (entry as { apiKey?: unknown } | null)?.apiKey);
  if (keys.some((key) => typeof key === "string" && !key.startsWith("$")) && (statSync(file).mode & 0o077) !== 0) {
    problems.push({ file, path: "<file>", message: "holds a key and can be read by other users; run: chmod 600 on it", severity: "warning" });
  }
  return { providers, ids: Object.keys(entries ?? {}) };
}
