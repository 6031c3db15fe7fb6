import assert from "node:assert/strict";
import { test } from "node:test";
import type { BeeuniError } from "@beeuni/protocol";
import { projectWith } from "./project-fixture.ts";
import { agentToStart } from "./start-agent.ts";

const MANIFEST = "beeuni_version: 2\ndefault_agent: reviewer\nagents:\n  reviewer: {}\n  writer: {}\n  off: {enabled: false}\n  sub: {}\n  bad: {}\n  own: {}\n";
const FILES = {
  "beeuni.yaml": MANIFEST, "agents/reviewer.md": "r", "agents/writer.md": "w", "agents/off.md": "o", "agents/sub.md": "---\nmode: subagent\n---\n",
  "agents/bad.md": "---\nsteps: many\n---\n", "agents/own.md": "---\ndisable: true\n---\n", "agents/loose.md": "l",
};

test("[M-014] the default agent starts when none is named, and a declared one by its name", async () => {
  await using folder = await projectWith(FILES);
  const project = await folder.load();
  assert.deepEqual([agentToStart(project).name, agentToStart(project, "writer").name], ["reviewer", "writer"]);
});

test("[M-014] every other agent is refused with what to do", async () => {
  await using folder = await projectWith(FILES);
  const project = await folder.load();
  const refusal = (name: string): unknown => {
    try {
      return agentToStart(project, name).name;
    } catch (thrown) {
      const { code, message, hint } = thrown as BeeuniError;
      return [code, message, hint];
    }
  };
  assert.deepEqual(refusal("reviwer"), ["agent_not_found", `there is no agent "reviwer" in ${folder.directory}`, "did you mean reviewer?"]);
  assert.deepEqual(refusal("zzz"), ["agent_not_found", `there is no agent "zzz" in ${folder.directory}`, "agents that can start: reviewer, writer"]);
  assert.deepEqual(refusal("off"), ["agent_disabled", "agent \"off\" is disabled (enabled: false in beeuni.yaml)", "enable it there, or use one of: reviewer, writer"]);
  assert.deepEqual(refusal("own"), ["agent_disabled", "agent \"own\" is disabled (disable: true in agents/own.md)", "enable it there, or use one of: reviewer, writer"]);
  assert.deepEqual(refusal("loose"), ["agent_not_found", "agent \"loose\" is not declared in beeuni.yaml", "declare it: add `loose:` under `agents`, or use one of: reviewer, writer"]);
  assert.deepEqual(refusal("bad"), ["invalid_project", "agents/bad.md:2:1 steps: must be a positive integer.", "correct the file and start again"]);
  assert.deepEqual(refusal("sub"), ["invalid_request", "agent \"sub\" is a sub-agent (mode: subagent) and can't lead a session", "set `mode: all` in agents/sub.md, or use one of: reviewer, writer"]);
});

test("[M-014] no agent of a project starts while its manifest is wrong", async () => {
  await using folder = await projectWith({ ...FILES, "beeuni.yaml": MANIFEST.replace("default_agent: reviewer", "default_agent: off").replace("2", "2\nruntime: foo") });
  const project = await folder.load();
  assert.throws(() => agentToStart(project, "writer"), {
    code: "invalid_project",
    message: [
      "2 problems:",
      "  beeuni.yaml:2:1 runtime: runtime must be one of: standard-harness, small-harness (got \"foo\").",
      "  beeuni.yaml:3:1 default_agent: default_agent \"off\" is declared with `enabled: false` — a disabled agent can never resolve as the default; the runtime will reject this at session start.",
    ].join("\n"),
  });
});
