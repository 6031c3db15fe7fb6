import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentSet, agentSpec, endpointAt } from "@beeuni/conformance";
import { compile } from "./compile.ts";
import { systemPrompt, toolsOf } from "./prompt.ts";

const endpoint = endpointAt("http://127.0.0.1:1/s/token");

describe("compile", () => {
  test("writes nothing, and has the host enforce every rule", () => {
    const agents = agentSet({ agents: [
      agentSpec({ permissions: [{ permission: "bash", pattern: "git *", action: "ask" }, { permission: "edit", pattern: "*", action: "deny" }] }),
      agentSpec({ name: "free" }),
    ] });
    assert.deepEqual(compile(agents, endpoint, "project"), {
      files: {}, env: {}, argv: [], unsupported: [],
      rules: {
        main: [{ permission: "bash", pattern: "git *", action: "ask", enforcer: "host" }, { permission: "edit", pattern: "*", action: "deny", enforcer: "host" }],
        free: [],
      },
    });
  });

  test("[H-044] provider options and a variant that the model lacks are named", () => {
    const model = { ...endpoint.models[0]!, variants: { low: {} } };
    const agents = agentSet({ agents: [agentSpec({ options: { foo: 1, bar: 2 }, model: model.ref, variant: "high" })] });
    assert.deepEqual(compile(agents, { ...endpoint, models: [model] }, "project").unsupported, [
      { field: "agents.main.options", effect: "not sent to the model: foo, bar", why: "this harness does not apply provider options" },
      { field: "agents.main.variant", effect: '"high" changes nothing', why: "the model faux/demo has the variants low" },
    ]);
  });
});

describe("the system prompt", () => {
  const rulesFile = { source: "workspace", path: "AGENTS.md", text: "Write tests.\n", bytes: 13, sha: "0" } as const;

  test("[H-036] [H-059] the agent's prompt, the rules file right after it, then what the agent can do", () => {
    assert.equal(systemPrompt(agentSpec({ prompt: "You are Bee.\n", tools: { kind: "only", names: ["read", "lookup"] } }), { rulesFile, hostTools: [{ name: "lookup", description: "", parameters: {} }] }), [
      "You are Bee.",
      '<project_instructions path="AGENTS.md">\nWrite tests.\n</project_instructions>',
      "## Runtime capabilities\n\nRegistered tools: read, lookup",
    ].join("\n\n"));
  });

  test("without a body there is a default prompt; an empty rules file adds nothing", () => {
    const text = systemPrompt(agentSpec(), { rulesFile: { ...rulesFile, text: "  \n" }, hostTools: [] });
    assert.match(text, /^You are a coding agent\./);
    assert.doesNotMatch(text, /project_instructions/);
    assert.match(text, /Registered tools: bash, read, write, edit, glob, grep, question\nUse question when/);
  });

  test("[H-105] [H-140] the tools have these names, and there is no todowrite", () => {
    assert.deepEqual(toolsOf(agentSpec(), []), ["bash", "read", "write", "edit", "glob", "grep", "question"]);
    assert.deepEqual(toolsOf(agentSpec({ tools: { kind: "none" } }), []), []);
    assert.deepEqual(toolsOf(agentSpec({ tools: { kind: "exclude", names: ["bash"] } }), [{ name: "grep", description: "", parameters: {} }]), ["read", "write", "edit", "glob", "grep", "question"]);
  });
});
