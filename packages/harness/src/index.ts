export * from "./contract.ts";
export { HarnessRegistry, type HarnessEntry, type PlatformHarnesses } from "./registry.ts";
export { explainProjectHarness, selectProjectHarness, type ExplainedSelection, type ProjectSelection } from "./select-project-harness.ts";
export {
  decidePermission, deniedMessage, permissionKeys, rejectedMessage, type PermissionCall, type PermissionDecision, type PermissionPolicy,
} from "./permissions.ts";
export { parseGrantPattern, type Grant } from "./grants.ts";
export { matchesGlob } from "./glob.ts";
export { misspelledNames, type MisspelledName } from "./misspelled-names.ts";
export { mayUseTool, visibleTools } from "./tool-access.ts";
export { hostEnforcedRules, refuseUnenforced, unenforcedDenies } from "./enforcement.ts";
export { capabilityProblems, requireFeature, sessionCapabilities, supportProblems } from "./support.ts";
export { installToolchain } from "./toolchain/install.ts";
export { toolchainStatus } from "./toolchain/status.ts";
export { toolchainsFolder } from "./toolchain/location.ts";
export type { InstallOptions, InstallProgress, ToolchainOwner, ToolchainRecord, ToolchainState, ToolchainStatus } from "./toolchain/types.ts";
