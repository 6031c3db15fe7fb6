import type { HostToolSpec, ToolAccess } from "@beeuni/protocol";
import { mayUseTool } from "@beeuni/harness";

/** Tools that a session offers by their names in OpenCode. `apply_patch` takes the place of the two editing tools for some models. */
export const BUILTIN_TOOLS = ["bash", "read", "write", "edit", "glob", "grep", "question", "task", "todowrite", "webfetch"] as const;

/** OpenCode hides these together, by the key `edit`. */
const EDITING = ["edit", "write"];

/** Permission keys whose `deny` hides from the model what the agent may not use. */
export function hiddenKeys(access: ToolAccess, hostTools: readonly Pick<HostToolSpec, "name">[]): string[] {
  const tools = [...new Set([...BUILTIN_TOOLS, ...hostTools.map(({ name }) => name)])].filter((name) => !EDITING.includes(name));
  const hidden = tools.filter((name) => !mayUseTool(access, name));
  return EDITING.some((name) => mayUseTool(access, name)) ? hidden : ["edit", ...hidden];
}

/** The editing tool that the model sees although the agent may not use it, or null. */
export function visibleAgainst(access: ToolAccess): string | null {
  const [allowed, refused] = [EDITING.filter((name) => mayUseTool(access, name)), EDITING.filter((name) => !mayUseTool(access, name))];
  return allowed.length > 0 && refused.length > 0 ? `\`${refused[0]!}\`` : null;
}

/**
 * The call as the host's rules know it. A patch is an edit of the files that it names.
 */
export function askedCall(tool: string, input: { [key: string]: unknown }): { tool: string; input: { [key: string]: unknown } } {
  if (tool !== "apply_patch") return { tool, input };
  const text = typeof input["patchText"] === "string" ? input["patchText"] : "";
  const files = [...text.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm)].map((match) => match[1]!.trim());
  return { tool: "edit", input: { ...input, filePath: [...new Set(files)] } };
}
