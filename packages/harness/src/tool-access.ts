import type { ToolAccess } from "@beeuni/protocol";

/** Whether an agent may use the tool at all. A tool outside its access is hidden from the model and denied when called. */
export function mayUseTool(access: ToolAccess, tool: string): boolean {
  switch (access.kind) {
    case "all": return true;
    case "none": return false;
    case "only": return access.names.includes(tool);
    case "exclude": return !access.names.includes(tool);
  }
}

/** The tools that the agent's model sees, in the order given. */
export function visibleTools<T extends string | { name: string }>(access: ToolAccess, tools: readonly T[]): T[] {
  return tools.filter((tool) => mayUseTool(access, typeof tool === "string" ? tool : tool.name));
}
