import { posix } from "node:path";
import { importsOf } from "./tokens.ts";
import { isSource, isTest } from "./tree.ts";
import type { PackageInfo, TreeFile } from "./tree.ts";

/**
 * Which package may import which. Lower layers never see higher ones; the exceptions are named. Tests may import any
 * package, by what it exports.
 */
export const MAY_IMPORT: { [name: string]: readonly string[] } = {
  protocol: [],
  transcript: ["protocol"],
  manifest: ["protocol"],
  tools: ["protocol"],
  // The join of calls with messages needs both sides.
  trace: ["protocol", "transcript"],
  project: ["protocol", "transcript", "manifest", "tools", "trace"],
  harness: ["protocol", "transcript", "manifest", "tools", "trace"],
  gateway: ["protocol", "transcript", "manifest", "tools", "trace"],
  // An adapter sees the contract and what it reports; nothing of the host.
  adapters: ["protocol", "transcript", "harness"],
  // The daemon sees the registry, never an adapter.
  daemon: ["protocol", "transcript", "manifest", "tools", "trace", "project", "harness", "gateway"],
  // Runs in a browser.
  sdk: ["protocol", "transcript"],
  cli: ["protocol", "transcript", "manifest", "tools", "trace", "project", "harness", "gateway", "adapters", "daemon", "sdk"],
  conformance: ["protocol", "transcript", "harness"],
};

const SCOPE = "@beeuni/";

/** Offences against the import rules, each `file:line what`. */
export function importOffences(files: readonly TreeFile[], packages: readonly PackageInfo[]): string[] {
  const offences: string[] = [];
  const exported = new Set(packages.flatMap(({ name, manifest }) => Object.keys(manifest.exports ?? {}).map((key) => posix.join(name, key))));
  for (const { name, folder, manifest } of packages) {
    const subpaths = Object.keys(manifest.exports ?? {});
    if (!subpaths.includes(".")) offences.push(`${folder}/package.json exports no "."`);
    if (subpaths.length > 3) offences.push(`${folder}/package.json exports ${subpaths.length - 1} subpaths, two are allowed`);
    for (const subpath of subpaths.filter((key) => key.includes("*"))) offences.push(`${folder}/package.json exports the pattern ${subpath}`);
    if (!(short(name) in MAY_IMPORT)) offences.push(`${folder}: the package ${name} has no place in the layers (test/structure/imports.ts)`);
  }
  for (const file of files.filter(({ path }) => isSource(path))) {
    const owner = packages.find(({ folder }) => file.path.startsWith(`${folder}/`));
    for (const { specifier, line } of importsOf(file.text)) {
      const place = `${file.path}:${line}`;
      if (specifier.startsWith(".")) {
        const target = posix.join(posix.dirname(file.path), specifier);
        const other = packages.find(({ folder }) => target.startsWith(`${folder}/`));
        if (other !== undefined && other !== owner) offences.push(`${place} reaches into ${other.folder} by path (${specifier}); import ${other.name}`);
        else if (owner !== undefined && other === undefined) offences.push(`${place} leaves its package (${specifier})`);
        else if (!isTest(file.path) && isTest(target)) offences.push(`${place} imports a test (${specifier})`);
      } else if (specifier.startsWith(SCOPE)) {
        if (!exported.has(specifier)) offences.push(`${place} imports ${specifier}, which is not exported`);
        else if (owner !== undefined && !isTest(file.path)) {
          const [from, to] = [short(owner.name), short(specifier)];
          if (from !== to && !MAY_IMPORT[from]?.includes(to)) offences.push(`${place} imports ${specifier}: ${from} may not see ${to}`);
          if (from === to) offences.push(`${place} imports its own package by name`);
        }
      }
    }
  }
  return offences;
}

/** Cycles between packages, by imports of their sources and by declared dependencies: `a → b → a`. */
export function packageCycles(files: readonly TreeFile[], packages: readonly PackageInfo[]): string[] {
  const edges = new Map<string, Set<string>>();
  for (const { name, folder, manifest } of packages) {
    const targets = new Set(Object.keys(manifest.dependencies ?? {}).filter((key) => key.startsWith(SCOPE)).map(short));
    for (const file of files) {
      if (!file.path.startsWith(`${folder}/`) || !isSource(file.path) || isTest(file.path)) continue;
      for (const { specifier } of importsOf(file.text)) if (specifier.startsWith(SCOPE)) targets.add(short(specifier));
    }
    targets.delete(short(name));
    edges.set(short(name), targets);
  }
  const cycles = new Set<string>();
  const visit = (node: string, path: readonly string[]): void => {
    const seen = path.indexOf(node);
    if (seen !== -1) {
      const cycle = path.slice(seen);
      const first = cycle.indexOf([...cycle].sort()[0] ?? "");
      cycles.add([...cycle.slice(first), ...cycle.slice(0, first), cycle[first]].join(" → "));
      return;
    }
    for (const next of edges.get(node) ?? []) visit(next, [...path, node]);
  };
  for (const node of edges.keys()) visit(node, []);
  return [...cycles].sort();
}

/** `@beeuni/gateway/faux` → `gateway`. */
function short(specifier: string): string {
  return specifier.slice(SCOPE.length).split("/")[0] ?? "";
}
