import { posix } from "node:path";
import type { PermissionDialect } from "./contract.ts";
import { splitShellLine, withoutAssignments } from "./shell-commands.ts";
import { trimBlanks } from "./shell-syntax.ts";

/**
 * What the patterns of a rule are tested against. A path has two spellings, relative to the workspace and absolute: a
 * pattern that matches either speaks for it, and `..` is gone from both. A shell line is tested whole and command by
 * command.
 */
export interface Subject {
  /** As a person reads it. */
  text: string;
  spellings: readonly string[];
  kind: "path" | "command" | "text";
  /** Not all of the shell line can be read, so no pattern rule can allow it. */
  opaque: boolean;
  /** It writes a file by redirection: a stored "always" does not cover that, a rule that a person wrote does. */
  writesFile: boolean;
  /** A path that is not in the workspace. */
  isOutside: boolean;
  /** The command without the assignments in front of it: `A=1 rm x` is also a `rm x`. */
  bare: Subject | null;
}

export interface SubjectSet {
  /** The whole argument. */
  whole: Subject;
  /** The commands of a shell line of several; empty otherwise. */
  commands: Subject[];
}

const PATH_ARGUMENTS = ["path", "file", "filePath", "file_path", "directory"];

/** The subjects of a call, or null when the tool has none or its argument is missing. */
export function subjectsOf(tool: string, input: { [key: string]: unknown }, dialect: PermissionDialect, workspace: string): SubjectSet[] | null {
  const argument = Object.hasOwn(dialect.subject, tool) ? dialect.subject[tool]! : "path";
  if (argument === null) return null;
  const value = input[argument];
  const texts = (Array.isArray(value) ? value : [value]).filter((text): text is string => typeof text === "string" && text !== "");
  if (texts.length === 0) return null;
  if (argument === "command") return texts.map(commandSubjects);
  if (!PATH_ARGUMENTS.includes(argument)) return texts.map((text) => ({ whole: subject("text", text), commands: [] }));
  return texts.flatMap(readings).map((text) => ({ whole: pathSubject(text, workspace), commands: [] }));
}

/** A `\` is a separator to some programs and part of a name to others: the call must be allowed either way. */
function readings(path: string): string[] {
  return path.includes("\\") ? [path, path.replaceAll("\\", "/")] : [path];
}

function pathSubject(text: string, workspace: string): Subject {
  const absolute = posix.resolve(workspace, text);
  const relative = posix.relative(workspace, absolute) || ".";
  const inside = relative !== ".." && !relative.startsWith("../");
  return { ...subject("path", inside ? relative : absolute, inside ? [relative, absolute] : [absolute]), isOutside: !inside };
}

function subject(kind: Subject["kind"], text: string, spellings = [text]): Subject {
  return { kind, text, spellings, opaque: false, writesFile: false, isOutside: false, bare: null };
}

function commandSubjects(line: string): SubjectSet {
  const { commands, opaque } = splitShellLine(line);
  const command = (text: string, writesFile: boolean): Subject => {
    const bare = withoutAssignments(text);
    return { ...subject("command", text), writesFile, bare: bare === null ? null : { ...subject("command", bare), writesFile } };
  };
  const only = commands.length === 1 && commands[0]!.text === trimBlanks(line) ? commands[0] : undefined;
  if (only !== undefined) return { whole: { ...command(only.text, only.writesFile), opaque }, commands: [] };
  const whole = { ...subject("command", trimBlanks(line)), opaque, writesFile: commands.some(({ writesFile }) => writesFile) };
  return { whole, commands: commands.map(({ text, writesFile }) => command(text, writesFile)) };
}
