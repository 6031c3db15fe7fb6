import { BeeuniError, nearNames } from "@beeuni/protocol";
import type { Harness } from "./contract.ts";
import { supportProblems } from "./support.ts";

/** One harness that can be chosen. Its code is loaded when a session needs it, not before. */
export interface HarnessEntry {
  id: string;
  label: string;
  family: Harness["family"];
  load(): Promise<Harness>;
}

/** The two ids that project selection falls to. */
export interface PlatformHarnesses {
  standard: string;
  experimental: string;
}

/**
 * The harnesses of this process. Built-in and third-party ones register alike. A platform harness keeps its name and
 * its place in the rules also while no adapter is registered for it.
 */
export class HarnessRegistry {
  readonly platform: PlatformHarnesses;
  private readonly entries = new Map<string, HarnessEntry>();
  private readonly loaded = new Map<string, Promise<Harness>>();

  constructor(platform: PlatformHarnesses, entries: readonly HarnessEntry[] = []) {
    this.platform = platform;
    for (const entry of entries) this.register(entry);
  }

  /** Throws `invalid_config` when the id is taken or malformed. */
  register(entry: HarnessEntry): void {
    if (!/^[a-z0-9][a-z0-9_:.-]{0,63}$/.test(entry.id)) {
      throw new BeeuniError("invalid_config", `"${entry.id}" is not a harness id (lower case letters, digits, "-", "_", ".", ":"; at most 64)`);
    }
    if (this.entries.has(entry.id)) {
      throw new BeeuniError("invalid_config", `two harnesses register as "${entry.id}"`, { hint: "remove one of them, or give it an id of its own" });
    }
    this.entries.set(entry.id, entry);
  }

  list(): HarnessEntry[] {
    return [...this.entries.values()];
  }

  /** Registered ids, in the order of registration. */
  ids(): string[] {
    return [...this.entries.keys()];
  }

  has(id: string): boolean {
    return this.entries.has(id);
  }

  /** `standard`, `experimental`, or null for a harness that no rule falls to. */
  placeOf(id: string): "standard" | "experimental" | null {
    if (id === this.platform.standard) return "standard";
    return id === this.platform.experimental ? "experimental" : null;
  }

  /** The values that `runtime` of a manifest may have: the platform's two first. */
  runtimeIds(): string[] {
    return [...new Set([this.platform.standard, this.platform.experimental, ...this.ids()])];
  }

  /** Throws `harness_not_found` with near names, or `harness_unavailable` for a platform harness without an adapter. */
  get(id: string): HarnessEntry {
    const entry = this.entries.get(id);
    if (entry !== undefined) return entry;
    throw this.placeOf(id) === null ? harnessNotFound(id, this.runtimeIds()) : harnessUnavailable(id, null, { way: this.ids()[0] });
  }

  /** Loads the adapter once. A load that failed is tried again on the next call. */
  load(id: string): Promise<Harness> {
    const entry = this.get(id);
    const running = this.loaded.get(id);
    if (running !== undefined) return running;
    const loading = loadChecked(entry);
    this.loaded.set(id, loading);
    loading.catch(() => this.loaded.delete(id));
    return loading;
  }
}

async function loadChecked(entry: HarnessEntry): Promise<Harness> {
  const harness = await entry.load().catch((cause: unknown) => {
    throw cause instanceof BeeuniError ? cause : new BeeuniError("harness_unavailable", `the adapter of ${entry.id} can't be loaded: ${String((cause as Error)?.message ?? cause)}`, { cause });
  });
  const problems = supportProblems(harness.support());
  if (harness.id !== entry.id) problems.unshift(`its id is "${harness.id}"`);
  if (problems.length > 0) {
    throw new BeeuniError("harness_unavailable", `the adapter registered as "${entry.id}" breaks the contract: ${problems.join("; ")}`);
  }
  return harness;
}

export function harnessNotFound(id: string, known: readonly string[]): BeeuniError {
  const near = nearNames(id, known);
  const hint = near.length > 0 ? `did you mean ${near.join(" or ")}?` : `known harnesses: ${known.join(", ")}`;
  return new BeeuniError("harness_not_found", `there is no harness "${id}"`, { hint });
}

/** A platform harness for which this installation has no adapter. `way` is the registered one to offer instead. */
export function harnessUnavailable(id: string, reason: string | null, { way, needsGateway = false }: { way: string | undefined; needsGateway?: boolean }): BeeuniError {
  const why = reason === null ? "" : `the harness of this session would be ${id} (${reason}), but `;
  const start = needsGateway ? "turn the flag llm_gateway on, and " : "";
  return new BeeuniError("harness_unavailable", `${why}this installation has no adapter for ${id}`, {
    hint: way === undefined ? `install an adapter for ${id}` : `${start}write \`runtime: ${way}\` in beeuni.yaml or give \`--harness ${way}\``,
  });
}
