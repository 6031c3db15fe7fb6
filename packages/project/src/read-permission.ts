import type { Path } from "@beeuni/manifest";
import type { PermissionAction, PermissionRule } from "@beeuni/protocol";

/** Keys that have no patterns. */
const ACTION_ONLY = new Set(["todowrite", "question", "webfetch", "websearch", "doom_loop"]);

/** The rules of a `permission` value in file order. Anything malformed is an error: a rule must never be lost. */
export function readPermission(value: unknown, path: Path, fail: (path: Path, message: string) => void): PermissionRule[] {
  if (isAction(value)) return [{ permission: "*", pattern: "*", action: value }];
  if (!isTable(value)) {
    fail(path, "permission must be an action (\"ask\" | \"allow\" | \"deny\") or a permission object (read, edit, bash, …).");
    return [];
  }
  return Object.entries(value).flatMap(([permission, setting]) => readKey(permission, setting, [...path, permission], fail));
}

function readKey(permission: string, setting: unknown, path: Path, fail: (path: Path, message: string) => void): PermissionRule[] {
  if (isAction(setting)) return [{ permission, pattern: "*", action: setting }];
  if (isTable(setting) && !ACTION_ONLY.has(permission)) {
    return Object.entries(setting).flatMap(([pattern, action]) => {
      if (isAction(action)) return [{ permission, pattern, action }];
      fail([...path, pattern], `must be one of: ask, allow, deny (got ${JSON.stringify(action)}).`);
      return [];
    });
  }
  fail(path, typeof setting === "string" || ACTION_ONLY.has(permission)
    ? `must be one of: ask, allow, deny (got ${JSON.stringify(setting)}).`
    : "must be an action (\"ask\" | \"allow\" | \"deny\") or a map of glob-pattern to action.");
  return [];
}

function isAction(value: unknown): value is PermissionAction {
  return value === "ask" || value === "allow" || value === "deny";
}

function isTable(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
