import { BeeuniError, SESSION_CAPABILITY_IDS, SUPPORT_KEYS, type SessionCapability, type SupportTable } from "@beeuni/protocol";
import type { Harness, HarnessSession } from "./contract.ts";

const LEVELS = ["exact", "approx", "none"];

/** What is wrong with a support table: missing or unknown keys, and levels that owe a reason. Empty when all is well. */
export function supportProblems(table: SupportTable): string[] {
  const problems: string[] = [];
  for (const key of SUPPORT_KEYS) {
    const cell = table[key];
    if (cell === undefined) problems.push(`${key}: missing`);
    else if (!LEVELS.includes(cell.level)) problems.push(`${key}: level must be one of: ${LEVELS.join(", ")} (got ${JSON.stringify(cell.level)})`);
    else if (cell.level !== "exact" && (cell.reason ?? "").trim() === "") problems.push(`${key}: "${cell.level}" needs a reason`);
  }
  for (const key of Object.keys(table)) if (!(SUPPORT_KEYS as readonly string[]).includes(key)) problems.push(`${key}: not a support key`);
  return problems;
}

/** The capabilities of an open session: the declared ids whose method exists. Clients are told nothing else. */
export function sessionCapabilities(harness: Pick<Harness, "capabilities">, session: Pick<HarnessSession, "features">): SessionCapability[] {
  return SESSION_CAPABILITY_IDS.filter((id) => harness.capabilities.includes(id) && typeof session.features[id] === "function");
}

/** Where declaration and methods differ, either way. Empty when all is well. */
export function capabilityProblems(harness: Pick<Harness, "capabilities">, session: Pick<HarnessSession, "features">): string[] {
  return SESSION_CAPABILITY_IDS.flatMap((id) => {
    const isDeclared = harness.capabilities.includes(id);
    const hasMethod = typeof session.features[id] === "function";
    if (isDeclared === hasMethod) return [];
    return [isDeclared ? `${id}: declared, but the session has no method for it` : `${id}: the session has a method, but it is not declared`];
  });
}

/** The method behind a capability. Throws `feature_not_supported` when the session does not offer it. */
export function requireFeature<Id extends SessionCapability>(
  harness: Pick<Harness, "id" | "capabilities">, session: Pick<HarnessSession, "features">, id: Id,
): NonNullable<HarnessSession["features"][Id]> {
  const method = harness.capabilities.includes(id) ? session.features[id] : undefined;
  if (method !== undefined) return method as NonNullable<HarnessSession["features"][Id]>;
  throw new BeeuniError("feature_not_supported", `${id.replace(".", " ")} is not supported by the ${harness.id} harness`, {
    hint: `\`beeuni harness show ${harness.id}\` lists what it offers`,
  });
}
