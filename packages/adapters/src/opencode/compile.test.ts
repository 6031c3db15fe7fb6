import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentSet, agentSpec, endpointAt } from "@beeuni/conformance";
import type { Json } from "@beeuni/protocol";
import { compile, FILES, nativeConfig, toText } from "./compile.ts";

const endpoint = endpointAt("http://127.0.0.1:1/s/token");
const rule = (permission: string, pattern: string, action: "allow" | "ask" | "deny") => ({ permission, pattern, action });
const fields = (value: Json | undefined): { [key: string]: Json } => value as { [key: string]: Json };
const agentOf = (config: { [key: string]: Json }, name: string): { [key: string]: Json } => fields(fields(config["agent"])[name]);

describe("the configuration", () => {
  test("[H-036] [H-041] [H-042] [H-043] [H-045] prompt, model, sampling, steps and options of an agent stand in it", () => {
    const [demo] = endpoint.models;
    const agent = agentSpec({ prompt: "You are Bee.\n", model: demo!.ref, variant: "high", temperature: 0.2, topP: 0.5, steps: 2, options: { foo: 1 }, description: "helps" });
    const models = [{ ...demo!, variants: { high: { reasoning_effort: "high", seed: 7 } } }];
    const config = nativeConfig(agentSet({ agents: [agent] }), { ...endpoint, models });
    assert.deepEqual({ ...agentOf(config, "main"), permission: null }, {
      mode: "primary", description: "helps", prompt: "You are Bee.", model: "beeuni/demo", variant: "high", temperature: 0.2, top_p: 0.5,
      // Two steps that call tools, and one that answers.
      steps: 3, options: { foo: 1 }, permission: null,
    });
    assert.deepEqual(config["provider"], {
      beeuni: {
        name: "Beeuni gateway", npm: "@ai-sdk/openai-compatible", options: { baseURL: "http://127.0.0.1:1/s/token/v1", apiKey: "beeuni" },
        models: {
          demo: {
            name: "Demo", limit: { context: 200_000, output: 8_000 }, tool_call: true, temperature: true, reasoning: false, attachment: false,
            modalities: { input: ["text"], output: ["text"] }, variants: { high: { reasoningEffort: "high", seed: 7 } },
          },
        },
      },
    });
  });

  test("[H-003] the project's agents lead, OpenCode's own do not; what it calls models for by itself keeps its name", () => {
    const config = nativeConfig(agentSet({ default: "title", agents: [agentSpec({ name: "title", prompt: "Mine." })] }), endpoint);
    assert.deepEqual(Object.keys(fields(config["agent"])), ["build", "plan", "project-title"]);
    assert.deepEqual([config["default_agent"], agentOf(config, "build"), agentOf(config, "project-title")["prompt"]], ["project-title", { disable: true }, "Mine."]);
  });

  test("[H-046] [H-047] [H-048] [H-049] a tool that the agent may not use is hidden; the editing tools only together", () => {
    const denied = (tools: Parameters<typeof agentSpec>[0]): string[] => {
      const permission = fields(agentOf(nativeConfig(agentSet({ agents: [agentSpec(tools)], hostTools: [{ name: "lookup", description: "", parameters: {} }] }), endpoint), "main")["permission"]);
      return Object.entries(permission).filter(([key, action]) => action === "deny" && !["plan_enter", "plan_exit", "skill"].includes(key)).map(([key]) => key).sort();
    };
    assert.deepEqual(denied({}), []);
    assert.deepEqual(denied({ tools: { kind: "none" } }), ["bash", "edit", "glob", "grep", "lookup", "question", "read", "task", "todowrite", "webfetch"]);
    assert.deepEqual(denied({ tools: { kind: "only", names: ["read", "lookup"] } }), ["bash", "edit", "glob", "grep", "question", "task", "todowrite", "webfetch"]);
    assert.deepEqual(denied({ tools: { kind: "exclude", names: ["bash", "write"] } }), ["bash"]);
    const { unsupported } = compile(agentSet({ agents: [agentSpec({ tools: { kind: "exclude", names: ["write"] } })] }), endpoint, "project");
    assert.deepEqual(unsupported, [{ field: "agents.main.tools", effect: "the model sees `write` too, and a call of it is denied", why: "OpenCode hides `edit` and `write` only together" }]);
  });

  test("text that looks like a variable or a file of OpenCode's configuration stays text", () => {
    const prompt = "Use {env:HOME} and {file:/etc/passwd}, not {this}.";
    const text = toText(nativeConfig(agentSet({ agents: [agentSpec({ prompt })] }), endpoint));
    assert.doesNotMatch(text, /\{(env|file):/);
    assert.match(text, /\{this\}/);
    assert.equal(agentOf(JSON.parse(text) as { [key: string]: Json }, "main")["prompt"], prompt);
  });

  test("a variant that the model lacks is named", () => {
    const agents = agentSet({ agents: [agentSpec({ model: endpoint.models[0]!.ref, variant: "high" })] });
    assert.deepEqual(compile(agents, endpoint, "project").unsupported, [{ field: "agents.main.variant", effect: '"high" changes nothing', why: "the model faux/demo has no variants" }]);
    assert.equal(agentOf(nativeConfig(agents, endpoint), "main")["variant"], undefined);
  });
});

describe("rules", () => {
  test("[H-050] the host enforces each of them, whatever OpenCode could do by itself", () => {
    const permissions = [rule("bash", "git *", "ask"), rule("edit", "*", "deny"), rule("websearch", "*", "ask")];
    assert.deepEqual(compile(agentSet({ agents: [agentSpec({ permissions })] }), endpoint, "project").rules, {
      main: [
        { ...permissions[0], enforcer: "host" }, { ...permissions[1], enforcer: "host" },
        { ...permissions[2], enforcer: "host", reason: "Beeuni's web tools can't ask on this harness: their calls are denied" },
      ],
    });
  });

  test("repeated calls are OpenCode's to notice: it refuses them, or asks", () => {
    const compiled = (action: "allow" | "ask" | "deny") => {
      const agents = agentSet({ agents: [agentSpec({ permissions: [rule("doom_loop", "*", action)] })] });
      return [fields(agentOf(nativeConfig(agents, endpoint), "main")["permission"])["doom_loop"], compile(agents, endpoint, "project").rules["main"]![0]!.enforcer];
    };
    assert.deepEqual([compiled("deny"), compiled("ask"), compiled("allow")], [["deny", "harness"], ["ask", "host"], ["allow", "harness"]]);
  });
});

test("no address, no token and no path of this machine stand in what is compiled, but for the endpoint in the configuration file", () => {
  const { files, env, argv } = compile(agentSet(), endpoint, "project");
  assert.deepEqual(Object.keys(files).sort(), [
    "config/opencode/node_modules/.keep", "config/opencode/package-lock.json", "config/opencode/package.json", "config/opencode/plugin/beeuni.js", "models.json", "opencode.json",
  ]);
  const withToken = Object.entries(files).filter(([, text]) => text.includes(endpoint.root)).map(([path]) => path);
  assert.deepEqual([withToken, JSON.stringify([env, argv]).includes("127.0.0.1:1")], [[FILES.config], false]);
});
