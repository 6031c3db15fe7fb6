/** Beeuni tools that share a permission key with the harness's own tools. */
const SHARED_KEYS: { [tool: string]: string } = { web_search: "websearch", image_search: "websearch", scrape_webpage: "webfetch" };

/**
 * Permission keys of a host tool's call, its own name first. The web tools follow `websearch` and `webfetch`; `memory`
 * follows `read` for a view and `edit` for every command that changes a file. A project tool has its own name only.
 */
export function toolPermissionKeys(tool: string, input: { [key: string]: unknown }): readonly string[] {
  if (tool === "memory") return [tool, input["command"] === "view" ? "read" : "edit"];
  const shared = Object.hasOwn(SHARED_KEYS, tool) ? SHARED_KEYS[tool] : undefined;
  return shared === undefined ? [tool] : [tool, shared];
}
