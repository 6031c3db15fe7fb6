export type { AgentEntry, Project } from "./project.ts";
export { loadProject, type LoadProjectOptions } from "./load-project.ts";
export { agentToStart, requireUsable } from "./start-agent.ts";
export type { FileRead, ProjectReader } from "./project-reader.ts";
export { parseAgentFile, type ParsedAgent } from "./parse-agent-file.ts";
