import { BeeuniError } from "@beeuni/protocol";
import type { Routes } from "../environment.ts";

/** Functions of the wire that no harness here has a place for, with what to call them. `*` stands for the rest of the path. */
const FUNCTIONS: { [path: string]: string } = {
  "/session/:id/init": "session init", "/session/:id/share": "session sharing", "/experimental/session/:id/background": "a session in the background",
  "/find": "searching the workspace", "/find/*": "searching the workspace", "/file": "reading the workspace", "/file/*": "reading the workspace",
  "/vcs/*": "looking into the version control", "/pty": "terminals", "/pty/*": "terminals", "/tui/*": "steering a terminal client",
  "/auth/*": "storing credentials", "/provider/:id/*": "logging in to a provider", "/mcp/*": "steering MCP servers",
  "/project/*": "changing the project", "/experimental/tool": "listing tools", "/experimental/tool/*": "listing tools",
  "/experimental/worktree": "worktrees", "/experimental/worktree/*": "worktrees", "/experimental/workspace/*": "workspaces",
  "/sync/*": "synchronising servers", "/global/dispose": "restarting the server", "/global/upgrade": "upgrading the server", "/instance/dispose": "restarting the server",
  "/api/session": "sessions under /api", "/api/session/*": "sessions under /api", "/api/event": "events under /api", "/api/pty": "terminals", "/api/pty/*": "terminals",
  "/api/fs/*": "reading the workspace", "/api/permission/*": "requests under /api", "/api/question/*": "requests under /api", "/api/credential/*": "storing credentials",
  "/api/integration/*": "integrations",
};

/** Registered last: answers what nothing else did. Other paths are unknown (404). */
export function notServedRoutes(routes: Routes): void {
  for (const [path, what] of Object.entries(FUNCTIONS)) {
    routes.all(path, (context) => {
      throw new BeeuniError("feature_not_supported", `${what} is not supported by this server (${context.req.method} ${context.req.path})`);
    });
  }
}
