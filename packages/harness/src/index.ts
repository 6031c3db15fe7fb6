export * from "./contract.ts";
export { HarnessRegistry, type HarnessEntry, type PlatformHarnesses } from "./registry.ts";
export { explainProjectHarness, selectProjectHarness, type ExplainedSelection, type ProjectSelection } from "./select-project-harness.ts";
export {
  decidePermission, deniedMessage, permissionKeys, rejectedMessage, type PermissionCall, type PermissionDecision, type PermissionPolicy,
} from "./permissions.ts";
export { parseGrantPattern, type Grant } from "./grants.ts";
export { matchesGlob } from "./glob.ts";
export { mayUseTool, visibleTools } from "./tool-access.ts";
export { hostEnforcedRules, refuseUnenforced, unenforcedDenies } from "./enforcement.ts";
export { capabilityProblems, requireFeature, sessionCapabilities, supportProblems } from "./support.ts";
export * from "./toolchain-types.ts";
