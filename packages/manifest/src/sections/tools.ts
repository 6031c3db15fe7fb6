import type { ManifestDocument } from "../document.ts";
import { modulePath } from "../repo-path.ts";
import type { Section } from "../section.ts";
import { isTable } from "../shape.ts";

/** Beeuni's own tools, in the order of every list. */
export const SYSTEM_TOOLS = ["web_search", "image_search", "scrape_webpage", "memory", "show"] as const;

/** Those that this version can run: none yet. The others may be listed, and the list says that sessions go without them. */
const RUNNABLE: readonly string[] = [];

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
/** Names that a harness's own tools have. */
const RESERVED = new Set([
  "bash", "read", "write", "edit", "apply_patch", "glob", "grep", "list", "task", "question", "todowrite", "webfetch", "websearch", "skill", "lsp",
  "invalid", "execute", "plan_exit",
]);

/** The tools that sessions get by name: `beeuni:<name>` or the path of a module. */
export const tools: Section = {
  read(root, document, manifest) {
    if (!document.has("tools")) {
      manifest.tools.system = [...SYSTEM_TOOLS];
      return;
    }
    manifest.tools.isDeclared = true;
    const section = root["tools"] ?? {};
    if (!isTable(section)) {
      document.error(["tools"], "tools must be a map of tool name → `beeuni:<name>` or a repo-relative module path.");
      return;
    }
    for (const [name, value] of Object.entries(section)) readTool(name, value, document, manifest.tools);
    manifest.tools.system.sort((a, b) => order(a) - order(b));
  },
};

function readTool(name: string, value: unknown, document: ManifestDocument, into: { system: string[]; modules: { name: string; path: string }[] }): void {
  const path = ["tools", name];
  if (!NAME.test(name)) {
    document.error(path, `"${name}" is not a valid tool name (lowercase letters, digits and underscores, a letter first; at most 64).`);
    return;
  }
  if (RESERVED.has(name) || name.startsWith("pty_")) {
    document.error(path, `"${name}" is the name of a harness tool — choose another name.`);
    return;
  }
  const isSystem = (SYSTEM_TOOLS as readonly string[]).includes(name);
  if (isSystem && value === `beeuni:${name}`) {
    into.system.push(name);
    if (!RUNNABLE.includes(name)) document.warning(path, `the Beeuni tool "${name}" is not in this version: sessions run without it.`);
  }
  else if (typeof value === "string" && modulePath(value) !== null) into.modules.push({ name, path: value });
  else document.error(path, isSystem ? replacementHelp(name) : moduleHelp(name));
}

function replacementHelp(name: string): string {
  return `must be \`beeuni:${name}\` (the Beeuni tool) or a repo-relative path to a .ts or .js module (e.g. \`tools/${name}.ts\`) that replaces it.`;
}

function moduleHelp(name: string): string {
  const all = SYSTEM_TOOLS.map((tool) => `\`${tool}: beeuni:${tool}\``).join(", ");
  return `must be a repo-relative path to a .ts or .js module (e.g. \`tools/${name}.ts\`). \`beeuni:<name>\` names a Beeuni tool under its own name: ${all}.`;
}

function order(name: string): number {
  return (SYSTEM_TOOLS as readonly string[]).indexOf(name);
}
