import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { BeeuniError } from "@beeuni/protocol/errors";

/** Feature flags of a project with their defaults. One file per project stands in for a server's flags. */
export const FLAG_DEFAULTS = { llm_gateway: true, pi_harness: false } as const;
export type FlagName = keyof typeof FLAG_DEFAULTS;
export type Flags = Record<FlagName, boolean>;
export const FLAG_NAMES = Object.keys(FLAG_DEFAULTS) as FlagName[];

/** What was set; a flag that is left out has its default. Throws `invalid_config` when the file can't be read. */
export async function readSetFlags(file: string): Promise<Partial<Flags>> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const invalid = (why: string): BeeuniError => new BeeuniError("invalid_config", `${file}: ${why}`, { hint: "correct the file, or remove it: the flags then have their defaults" });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid((error as Error).message);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid("it must be an object");
  const problems = Object.entries(value).flatMap(([name, state]) => {
    if (!FLAG_NAMES.includes(name as FlagName)) return [`there is no flag "${name}"`];
    return typeof state === "boolean" ? [] : [`${name} must be true or false`];
  });
  if (problems.length > 0) throw invalid(problems.join("; "));
  return value as Partial<Flags>;
}

export async function readFlags(file: string): Promise<Flags> {
  return { ...FLAG_DEFAULTS, ...(await readSetFlags(file)) };
}

/** Sets one flag; null gives it back its default. Written in one step. */
export async function writeFlag(file: string, name: FlagName, state: boolean | null): Promise<void> {
  const { [name]: _before, ...others } = await readSetFlags(file);
  const after = state === null ? others : { ...others, [name]: state };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify(after)}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
}
