import { BUILT_IN_HARNESSES, PLATFORM_HARNESSES } from "@beeuni/adapters";
import { HarnessRegistry } from "@beeuni/harness";

/** The harnesses of this installation. No adapter is loaded by asking for the list. */
export function builtInRegistry(): HarnessRegistry {
  return new HarnessRegistry(PLATFORM_HARNESSES, BUILT_IN_HARNESSES);
}
