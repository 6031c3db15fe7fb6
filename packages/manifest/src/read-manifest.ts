import { ManifestDocument } from "./document.ts";
import type { Manifest, ManifestOptions, ManifestResult } from "./manifest.ts";
import type { Section } from "./section.ts";
import { warnOfUnloadedTools } from "./sections/agent-tools.ts";
import { agents } from "./sections/agents.ts";
import { defaultAgent } from "./sections/default-agent.ts";
import { imports } from "./sections/imports.ts";
import { runtime } from "./sections/runtime.ts";
import { tools } from "./sections/tools.ts";
import { readVersion } from "./sections/version.ts";
import { got, isTable } from "./shape.ts";

/** In the order in which their problems are told. Unknown keys are nobody's, and ignored. */
const SECTIONS: readonly Section[] = [runtime, imports, tools, agents, defaultAgent];

/**
 * Reads and validates the text of `beeuni.yaml`. Pure. All problems are told at once, with line and column; what is
 * wrong is left at its safe default in `manifest`.
 */
export function readManifest(text: string, { file = "beeuni.yaml", runtimes }: ManifestOptions): ManifestResult {
  const document = new ManifestDocument(text, file);
  const manifest = readBody(document, file, runtimes);
  return { valid: document.issues.every(({ severity }) => severity === "warning"), manifest, issues: document.issues };
}

function readBody(document: ManifestDocument, file: string, runtimes: readonly string[]): Manifest | null {
  if (document.issues.length > 0) return null;
  const root = document.value ?? {};
  if (!isTable(root)) {
    document.error(["<yaml>"], `${file} must be a map of keys (got ${Array.isArray(root) ? "a list" : got(root)}).`);
    return null;
  }
  if (!readVersion(root, document)) return null;
  const manifest: Manifest = {
    file, version: 2, defaultAgent: null, runtime: null, agents: {}, tools: { isDeclared: false, system: [], modules: [] },
  };
  for (const section of SECTIONS) section.read(root, document, manifest, { runtimes });
  const loaded = [...manifest.tools.system, ...manifest.tools.modules.map(({ name }) => name)];
  for (const agent of Object.values(manifest.agents)) warnOfUnloadedTools(agent.name, agent.tools, loaded, document);
  return manifest;
}
