// momoa: JSON5 with the place of each value. The json5 package gives values only, and a problem must name its line.
import { evaluate, parse, type DocumentNode, type MemberNode, type ValueNode } from "@humanwhocodes/momoa";
import type { Issue } from "@beeuni/protocol";

export type Path = readonly (string | number)[];

/** A parsed `config.json5` that knows the line of everything in it. */
export interface ConfigDocument {
  /** The value at `path`; undefined when it is not there. */
  get(path: Path): unknown;
  /** A problem at `path`, or at the nearest thing around it that is there. `key`: at the member's name and not its value. */
  problem(path: Path, message: string, severity: Issue["severity"], key?: boolean): Issue;
}

/** Reads a JSON5 text. A syntax error is the one problem that hides all others. */
export function parseConfig(text: string, file: string): { document: ConfigDocument } | { problem: Issue } {
  let root: DocumentNode;
  try {
    root = parse(text, { mode: "json5", ranges: false });
  } catch (error) {
    const { message, line, column } = error as Error & { line?: number; column?: number };
    const place = line === undefined ? {} : { line, ...(column === undefined ? {} : { column }) };
    return { problem: { file, path: "<json5>", message: message.replace(/ ?\(\d+:\d+\)$/, ""), severity: "error", ...place } };
  }
  return {
    document: {
      get(path) {
        const found = descend(root.body, path);
        return found.rest === 0 ? evaluate(found.node) : undefined;
      },
      problem(path, message, severity, key = false) {
        const { node, member } = descend(root.body, path);
        const { line, column } = (key && member !== undefined ? member.name : node).loc.start;
        return { file, path: formatPath(path), message, severity, line, column };
      },
    },
  };
}

/** As far down `path` as the document goes; `rest` says how many steps are left. */
function descend(root: ValueNode, path: Path): { node: ValueNode; member: MemberNode | undefined; rest: number } {
  let node = root;
  let member: MemberNode | undefined;
  for (const [at, step] of path.entries()) {
    if (node.type === "Object") {
      // The last of several members of one name counts, as in every JSON reader.
      const next = node.members.findLast((candidate) => nameOf(candidate) === step);
      if (next === undefined) return { node, member, rest: path.length - at };
      member = next;
      node = next.value;
    } else if (node.type === "Array" && typeof step === "number" && node.elements[step] !== undefined) {
      member = undefined;
      node = node.elements[step].value;
    } else {
      return { node, member, rest: path.length - at };
    }
  }
  return { node, member, rest: 0 };
}

function nameOf(member: MemberNode): string {
  return member.name.type === "String" ? member.name.value : member.name.name;
}

/** `models.providers.local.models[0].id` */
function formatPath(path: Path): string {
  return path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}
