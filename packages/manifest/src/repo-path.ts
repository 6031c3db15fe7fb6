/**
 * A path of the repository that is safe to hand to any program: no leading `/` or `-`, no empty, `.` or `..` segment,
 * only letters, digits, spaces and `_ . -`. One trailing `/` and surrounding blanks are dropped. Null when it is not.
 */
export function safeRepoPath(text: string): string | null {
  const path = text.trim().replace(/\/$/, "");
  if (path === "" || path.startsWith("/") || path.startsWith("-")) return null;
  const isSafe = path.split("/").every((segment) => /^[A-Za-z0-9_ .-]+$/.test(segment) && segment !== "." && segment !== "..");
  return isSafe ? path : null;
}

/** A safe path whose last segment is `<something>.md`. */
export function agentFilePath(text: string): string | null {
  const path = safeRepoPath(text);
  return path !== null && /[^/]\.md$/.test(path) ? path : null;
}

/** A path of a tool module: relative, no `.` or `..` segment, an extension that Node runs. */
export function modulePath(text: string): string | null {
  if (text !== text.trim() || /^[/-]/.test(text) || text.includes("\\") || !/\.[cm]?[tj]s$/.test(text)) return null;
  return text.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..") ? text : null;
}
