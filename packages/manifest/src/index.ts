export type { AgentGovernance, Manifest, ManifestOptions, ManifestResult, ToolSelection } from "./manifest.ts";
