import { posix } from "node:path";
import { isLiteral, matchesGlob } from "./glob.ts";
import type { Subject } from "./subject.ts";

/** What a person stored with "always": for this agent, calls of this permission key whose subject fits are allowed. */
export interface Grant {
  agent: string;
  permission: string;
  pattern: string;
}

/** Whether one of the agent's grants answers an `ask` about this subject (null: a call without a subject). */
export function isGranted(grants: readonly Grant[], agent: string, keys: readonly string[], subject: Subject | null): boolean {
  return grants.some((grant) => grant.agent === agent && (grant.permission === "*" || keys.includes(grant.permission)) && covers(grant.pattern, subject));
}

function covers(pattern: string, subject: Subject | null): boolean {
  if (pattern === "*") return true;
  if (subject === null) return false;
  // A pattern was stored for what the person saw. It does not stretch to a line that can't be read or that writes a file.
  if (!isLiteral(pattern) && (subject.opaque || subject.writesFile)) return false;
  return subject.spellings.some((text) => matchesGlob(pattern, text));
}

/**
 * What an "always" would store for this subject. It is shown before a person chooses it. Null when nothing can be stored:
 * the subject would have to stand as it is, and holds a `*` or `?`, which a pattern takes for more than what was seen.
 */
export function alwaysPattern(subject: Subject | null): string | null {
  if (subject === null) return "*";
  const { kind, text } = subject;
  const pattern = kind === "command" ? (subject.opaque || subject.writesFile ? text : commandPattern(text)) : kind === "path" ? pathPattern(text) : text;
  const isWider = kind === "command" ? pattern === text && !isLiteral(text) : text.includes("*");
  return isWider ? null : pattern;
}

/** Programs whose first word after the name is a command of its own. */
const WITH_SUBCOMMANDS = new Set([
  "apt", "apt-get", "brew", "bun", "cargo", "composer", "deno", "docker", "dotnet", "gh", "git", "glab", "go", "gradle", "helm", "jj", "kubectl", "mvn",
  "npm", "pip", "pip3", "pnpm", "podman", "poetry", "rustup", "systemctl", "terraform", "uv", "yarn",
]);
/** `npm run build`: the third word says what runs. */
const RUNS_SCRIPTS = /^(?:bun|deno|npm|pnpm|poetry|uv|yarn) (?:run|task|exec|dlx|x)$/;
/**
 * Programs that run whatever they are given, and builtins that change what the next command is: an "always" for them is for
 * exactly this command.
 */
const RUNS_ANYTHING = new Set([
  ".", "alias", "ash", "at", "awk", "bash", "batch", "bind", "builtin", "bunx", "busybox", "chroot", "chrt", "command", "complete", "coproc", "crontab", "csh",
  "dash", "declare", "deno", "doas", "ed", "emacs", "enable", "entr", "env", "eval", "ex", "exec", "expect", "export", "fakeroot", "find", "fish", "flock",
  "gawk", "gdb", "hash", "ionice", "julia", "ksh", "local", "lua", "luajit", "mapfile", "mawk", "nawk", "nice", "node", "nodejs", "nohup", "npx", "nsenter",
  "nu", "nvim", "osascript", "parallel", "perl", "php", "pipx", "pnpx", "proot", "pwsh", "pypy", "python", "readarray", "readonly", "ruby", "runuser",
  "screen", "script", "set", "setpriv", "setsid", "sh", "shopt", "socat", "source", "ssh", "stdbuf", "strace", "su", "sudo", "systemd-run", "taskset",
  "tclsh", "tcsh", "timeout", "tmux", "toybox", "trap", "ts-node", "tsx", "typeset", "unset", "unshare", "uvx", "vi", "vim", "watch", "xargs", "zsh",
]);
/** `python3.12`, `perl5.36` */
const VERSION = /-?\d[\d.]*$/;
/** `docker exec box` runs what comes after it. */
const RUNS_REST = /^(?:docker|podman|kubectl) (?:run|exec)$/;

function commandPattern(command: string): string {
  const words = command.split(/\s+/);
  const program = words[0]!;
  const isPlain = (word: string | undefined): word is string => word !== undefined && /^[A-Za-z][\w:.-]*$/.test(word);
  if (!/^[\w.+/-]+$/.test(program) || RUNS_ANYTHING.has(posix.basename(program).replace(VERSION, ""))) return command;
  if (!WITH_SUBCOMMANDS.has(program)) return `${program} *`;
  if (!isPlain(words[1])) return command;
  const prefix = `${program} ${words[1]}`;
  if (RUNS_REST.test(prefix)) return command;
  if (!RUNS_SCRIPTS.test(prefix)) return `${prefix} *`;
  return isPlain(words[2]) ? `${prefix} ${words[2]} *` : command;
}

/** A file's folder; a file of the root alone stands for itself. */
function pathPattern(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." || folder === "/" ? path : `${folder}/*`;
}

/**
 * Reads what a person writes on the command line or in a reply: `bash: git status *`, `edit`, `*`.
 * Without a colon it is the permission key, for every subject.
 */
export function parseGrantPattern(text: string): { permission: string; pattern: string } {
  const match = /^\s*([\w*.-]+)\s*:\s*([^]*\S)\s*$/.exec(text);
  return match === null ? { permission: text.trim(), pattern: "*" } : { permission: match[1]!, pattern: match[2]! };
}
