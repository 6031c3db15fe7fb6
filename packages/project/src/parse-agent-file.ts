import type { Path } from "@beeuni/manifest";
import { parseModelRef, type AgentSpec, type Issue, type Json } from "@beeuni/protocol";
import { parseFrontMatter, type FrontMatter } from "./parse-front-matter.ts";
import { readPermission } from "./read-permission.ts";
import { readToolLimit } from "./tool-limits.ts";

export interface ParsedAgent {
  /** null when an issue is an error: an agent never starts with less than its file says. */
  spec: AgentSpec | null;
  /** `disable: true`. */
  isDisabled: boolean;
  hasFrontMatter: boolean;
  issues: Issue[];
}

/**
 * Reads an agent's Markdown file: the front matter is its behaviour, the body its prompt. Pure. The file's name is the
 * agent's name, whatever a `name` key says; keys that are not ours pass.
 */
export function parseAgentFile(text: string, name: string, file: string): ParsedAgent {
  const front = parseFrontMatter(text);
  const issues: Issue[] = front.warnings.map(({ message, ...place }) => ({ file, path: "<front matter>", message: `line ${place.line} ${message}`, severity: "warning", ...place }));
  if (front.error !== null) {
    const { message, ...place } = front.error;
    return { spec: null, isDisabled: false, hasFrontMatter: true, issues: [...issues, { file, path: "<front matter>", message, severity: "error", ...place }] };
  }
  const reader = new KeyReader(front, file, issues);
  const spec: AgentSpec = {
    name,
    description: reader.text("description") ?? "",
    mode: reader.oneOf("mode", ["primary", "subagent", "all"] as const) ?? "all",
    prompt: front.body.trim(),
    model: reader.model(),
    variant: reader.text("variant"),
    temperature: reader.number("temperature"),
    topP: reader.number("top_p"),
    steps: reader.steps(),
    options: reader.options(),
    permissions: reader.permissions(),
    tools: reader.tools(),
  };
  const isDisabled = reader.flag("disable") ?? false;
  return { spec: issues.some(({ severity }) => severity === "error") ? null : spec, isDisabled, hasFrontMatter: front.hasFrontMatter, issues };
}

/** Reads one key each, and reports what is wrong with it. A key with the value null counts as absent. */
class KeyReader {
  private readonly front: FrontMatter;
  private readonly file: string;
  private readonly issues: Issue[];

  constructor(front: FrontMatter, file: string, issues: Issue[]) {
    this.front = front;
    this.file = file;
    this.issues = issues;
  }

  text(key: string): string | null {
    const value = this.value(key);
    if (value === undefined || typeof value === "string") return value?.trim() ?? null;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    this.report("error", [key], "must be a string.");
    return null;
  }

  number(key: string): number | null {
    const value = this.value(key);
    if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value ?? null;
    this.report("error", [key], "must be a number.");
    return null;
  }

  flag(key: string): boolean | null {
    const value = this.value(key);
    if (value === undefined || typeof value === "boolean") return value ?? null;
    this.report("error", [key], "must be a boolean.");
    return null;
  }

  oneOf<const T extends string>(key: string, values: readonly T[]): T | null {
    const value = this.value(key);
    if (value === undefined) return null;
    if (values.includes(value as T)) return value as T;
    this.report("error", [key], `${key} must be one of: ${values.join(", ")} (got ${JSON.stringify(value)}).`);
    return null;
  }

  model(): AgentSpec["model"] {
    const value = this.text("model");
    if (value === null || value === "" || value === "inherit") return null;
    const model = parseModelRef(value);
    if (model !== undefined) return model;
    this.report("warning", ["model"], `"${value}" is not a \`provider/model\` id: the agent runs on the session's model.`);
    return null;
  }

  steps(): number | null {
    const key = this.value("steps") === undefined && this.value("maxSteps") !== undefined ? "maxSteps" : "steps";
    if (key === "maxSteps") this.report("warning", ["maxSteps"], "`maxSteps` is deprecated upstream — use `steps` instead.");
    const value = this.value(key);
    if (value === undefined) return null;
    if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    this.report("error", [key], "must be a positive integer.");
    return null;
  }

  options(): AgentSpec["options"] {
    const value = this.value("options");
    if (value === undefined) return {};
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as { [key: string]: Json };
    this.report("error", ["options"], "must be a map.");
    return {};
  }

  /** `permissions` is a slip that others lose silently: it is read, so that no deny is lost, and named. */
  permissions(): AgentSpec["permissions"] {
    const isPlural = this.value("permission") === undefined && this.value("permissions") !== undefined;
    if (this.value("permissions") !== undefined) {
      this.report("warning", ["permissions"], isPlural ? "`permissions` is read as `permission`: rename the key." : "`permissions` is not read beside `permission`: remove it.");
    }
    const key = isPlural ? "permissions" : "permission";
    const value = this.value(key);
    return value === undefined ? [] : readPermission(value, [key], (path, message) => this.report("error", path, message));
  }

  /** Not our key, but a limit that someone meant: it holds. */
  tools(): AgentSpec["tools"] {
    const value = this.value("tools");
    if (value === undefined) return { kind: "all" };
    const limit = readToolLimit(value);
    if (limit === null) {
      this.report("error", ["tools"], "`tools` is deprecated upstream — use `permission` instead.");
      return { kind: "none" };
    }
    this.report("warning", ["tools"], "`tools` is deprecated upstream — use `permission` instead. Until then it limits the agent's tools.");
    if (limit.narrowed.length > 0) {
      this.report("warning", ["tools"], `the limits in parentheses are not read (${limit.narrowed.join(", ")}): write them as \`permission\` rules.`);
    }
    return limit.access;
  }

  private value(key: string): unknown {
    return this.front.keys[key] ?? undefined;
  }

  private report(severity: Issue["severity"], path: Path, message: string): void {
    this.issues.push({ file: this.file, path: path.join("."), message, severity, ...this.front.place(path) });
  }
}
