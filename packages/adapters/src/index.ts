import type { HarnessEntry, PlatformHarnesses } from "@beeuni/harness";

/** The two harnesses that the rules of project selection fall to. */
export const PLATFORM_HARNESSES: PlatformHarnesses = { standard: "opencode", experimental: "pi" };

/** The adapters that come with Beeuni. Each is one folder here and one line below; its code is loaded when it is used. */
export const BUILT_IN_HARNESSES: readonly HarnessEntry[] = [
  { id: "pi", label: "Pi", family: "harness", load: async () => (await import("./pi/index.ts")).pi },
];
