export type { AgentGovernance, Manifest, ManifestOptions, ManifestResult, ToolSelection } from "./manifest.ts";
export { readManifest } from "./read-manifest.ts";
export { findManifest, MANIFEST_FILE, type ManifestReader } from "./find-manifest.ts";
export { agentFilePath, modulePath, safeRepoPath } from "./repo-path.ts";
export { SYSTEM_TOOLS } from "./sections/tools.ts";
export { isTree } from "./shape.ts";
export { placeInYaml, type Path, type Place } from "./place.ts";
