import { ShellReader } from "./shell-reader.ts";

export interface ShellLine {
  commands: ShellCommand[];
  /** Not all of it can be read for certain: a command may run that is not among `commands`. */
  opaque: boolean;
}
export interface ShellCommand {
  /** The command as written, without surrounding blanks and leading keywords (`then`, `do`, `!`). */
  text: string;
  /** It writes to a file by redirection (not to another descriptor, not to /dev/null). */
  writesFile: boolean;
}

/**
 * Splits a shell command line into the commands it runs, so that a rule for `git *` does not speak for
 * `git status; rm -rf .`. It reads POSIX shell and bash as far as it takes for that, and doubts the rest: a line with
 * anything that bash could read in another way is `opaque`, and no pattern speaks for it.
 * It is no security boundary: `eval`, aliases and scripts run what they like.
 */
export function splitShellLine(line: string): ShellLine {
  const reader = new ShellReader(line);
  reader.list(null);
  return { commands: reader.commands, opaque: reader.opaque };
}

/** `A=1 B=2 rm x` → `rm x`; null when there is no assignment in front. */
export function withoutAssignments(command: string): string | null {
  return ASSIGNMENTS.exec(command)?.[1] ?? null;
}

const ASSIGNMENTS = /^(?:[A-Za-z_]\w*(?:\[[^\]\s]*\])?\+?=(?:"(?:[^"\\]|\\[^])*"|'[^']*'|\\[^]|[^\s"'\\])*\s+)+(\S[^]*)$/;
