import { join } from "node:path";

/** Where a session's things are under `$BEEUNI_HOME`. */
export interface SessionPaths {
  directory: string;
  /** The harness's own session files. */
  state: string;
  trace: string;
}

export function sessionPaths(home: string, id: string): SessionPaths {
  const directory = join(home, "sessions", id);
  return { directory, state: join(directory, "state"), trace: join(home, "traces", id) };
}
