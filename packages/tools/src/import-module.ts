import { createRequire, registerHooks } from "node:module";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
// jiti: TypeScript beyond type stripping, and both module systems in one file tree.
import type { Jiti } from "jiti";

const require = createRequire(import.meta.url);
let generation = 0;

/**
 * Imports a tool module fresh: a file of the project that changed since the last start is read again, also when other
 * modules import it. Packages under `node_modules` are shared. Returns the default export, `module.exports` of CommonJS,
 * or undefined when there is neither.
 *
 * jiti runs TypeScript with everything that type stripping leaves out, and both module systems in one file tree. Loading
 * synchronously makes every file fresh; a top-level await needs the asynchronous way, which leaves CommonJS files below
 * it cached.
 */
export async function importFresh(file: string, projectDirectory: string): Promise<unknown> {
  const inside = projectDirectory.endsWith(sep) ? projectDirectory : projectDirectory + sep;
  const isOwn = (path: string): boolean => path.startsWith(inside) && !path.includes(`${sep}node_modules${sep}`);
  for (const path of Object.keys(require.cache)) if (isOwn(path)) delete require.cache[path];
  try {
    return defaultExport((await freshJiti())(file));
  } catch (thrown) {
    if (!needsAwait(thrown)) throw thrown;
  }
  const mark = `?fresh=${++generation}`;
  const prefix = pathToFileURL(inside).href;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isOwnModule = resolved.url.startsWith(prefix) && resolved.url.endsWith(".mjs") && !resolved.url.includes("/node_modules/");
      return isOwnModule && context.conditions.includes("import") ? { ...resolved, url: resolved.url + mark } : resolved;
    },
  });
  try {
    return defaultExport(await (await freshJiti()).import(file));
  } finally {
    hooks.deregister();
  }
}

/** No cache on the disk: an agent that can write it could change what the next start runs. */
async function freshJiti(): Promise<Jiti> {
  const { createJiti } = await import("jiti");
  return createJiti(import.meta.url, { moduleCache: false, fsCache: false, tryNative: false, interopDefault: true });
}

function needsAwait(thrown: unknown): boolean {
  const error = thrown as NodeJS.ErrnoException;
  return error?.code === "ERR_REQUIRE_ASYNC_MODULE" || (error?.name === "SyntaxError" && /\bawait\b/.test(error.message));
}

function defaultExport(namespace: unknown): unknown {
  if (typeof namespace !== "object" || namespace === null) return namespace;
  if (Object.hasOwn(namespace, "default")) return (namespace as { default: unknown }).default;
  return isEsModule(namespace) ? undefined : namespace;
}

/** CommonJS without a `default` is its own default export; an ES module without one has none. */
function isEsModule(namespace: object): boolean {
  return Object.prototype.toString.call(namespace) === "[object Module]" || Object.getOwnPropertyDescriptor(namespace, "__esModule")?.value === true;
}
