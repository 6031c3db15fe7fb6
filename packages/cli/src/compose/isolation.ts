import { userInfo } from "node:os";

/** What a run must say first, as long as no wall stands around the agent's commands. */
export function isolationLine(directory: string): string {
  return `no isolation: the agent's commands run with your rights (${userName()}) in ${directory}`;
}

function userName(): string {
  try {
    return `user ${userInfo().username}`;
  } catch {
    // A user id without an entry in the password file, as containers have it.
    return `user id ${process.getuid?.() ?? "unknown"}`;
  }
}
