import { BeeuniError } from "@beeuni/protocol/errors";
import { parseGrantPattern } from "@beeuni/harness";
import type { Invocation } from "../parse.ts";
import { modelOption } from "./model-option.ts";

export type OutputMode = "text" | "quiet" | "json" | "jsonl";

export interface RunOptions {
  mode: OutputMode;
  resume: string | undefined;
  model: string | undefined;
  agent: string | undefined;
  harness: string | undefined;
  title: string | undefined;
  dir: string | undefined;
  output: string | undefined;
  allow: { rules: { permission: string; pattern: string }[]; everything: boolean };
}

/** The options of `run`, checked against each other before anything is started. */
export function runOptions(invocation: Invocation): RunOptions {
  const modes = (["quiet", "json", "jsonl"] as const).filter((mode) => invocation.flag(mode));
  if (modes.length > 1) throw new BeeuniError("usage", `--${modes.join(" and --")} don't go together`, { hint: "choose one form of output" });
  const resume = invocation.text("resume");
  for (const name of ["title", "dir"]) {
    if (resume !== undefined && invocation.text(name) !== undefined) {
      throw new BeeuniError("usage", `--${name} is for a new session, and -r continues one`, { hint: name === "dir" ? "a session keeps its folder; leave --dir out" : "leave --title out" });
    }
  }
  return {
    mode: modes[0] ?? "text",
    resume,
    model: modelOption(invocation.text("model")),
    agent: invocation.text("agent"),
    harness: invocation.text("harness"),
    title: invocation.text("title"),
    dir: invocation.text("dir"),
    output: invocation.text("output"),
    allow: { rules: invocation.list("allow").map(allowRule), everything: invocation.flag("yes") },
  };
}

function allowRule(text: string): { permission: string; pattern: string } {
  const rule = parseGrantPattern(text);
  if (!/^[\w*.-]+$/.test(rule.permission)) {
    throw new BeeuniError("usage", `--allow "${text}" is no permission and pattern`, { hint: "for example: --allow 'bash:git *', --allow edit" });
  }
  return rule;
}
