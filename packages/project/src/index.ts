export type { AgentEntry, Project } from "./project.ts";
