import type { AgentSet, AgentSpec, EnforcedRule, Json, ModelEndpoint } from "@beeuni/protocol";
import { hostEnforcedRules, type Compiled, type Surface } from "@beeuni/harness";
import { dialect } from "./dialect.ts";
import { BUILTIN_LEADS, callableModels, endpointModel, GATEWAY, nativeAgent } from "./names.ts";
import { hiddenKeys, visibleAgainst } from "./native-permissions.ts";
import { PLUGIN } from "./plugin.ts";

/** Files of the session's state folder, relative to it. `process.ts` points OpenCode at them. */
export const FILES = {
  config: "opencode.json",
  plugin: "config/opencode/plugin/beeuni.js",
  /** What the plugin needs to know of this start; written with the address of the bridge. */
  settings: "config/opencode/beeuni.json",
  /** OpenCode's list of all providers' models, which takes it seconds to read. The gateway's are in the configuration. */
  models: "models.json",
} as const;

/**
 * Everything that OpenCode reads in a session: one configuration file and one plugin, in folders of the session's own. Its
 * permissions allow all that the agent's tool access does: the plugin asks the host before each call. Pure.
 */
export function compile(agents: AgentSet, endpoint: ModelEndpoint, _surface: Surface): Compiled {
  const rules: { [agent: string]: EnforcedRule[] } = {};
  for (const agent of agents.agents) rules[agent.name] = enforcedRules(agent);
  return {
    files: { [FILES.config]: toText(nativeConfig(agents, endpoint)), [FILES.plugin]: PLUGIN, [FILES.models]: "{}\n", ...nothingToInstall() },
    env: ENVIRONMENT, argv: ["serve", "--hostname", "127.0.0.1", "--print-logs", "--log-level", "WARN"],
    rules, unsupported: agents.agents.flatMap((agent) => unsupportedOf(agent, endpoint)),
  };
}

const ENVIRONMENT: { [name: string]: string } = {
  // The workspace's own `opencode.json`, `.opencode/` and rules files are not read: they could load code and rights.
  OPENCODE_DISABLE_PROJECT_CONFIG: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
  OPENCODE_DISABLE_CLAUDE_CODE: "1",
};

/** The configuration document. */
export function nativeConfig(agents: AgentSet, endpoint: ModelEndpoint): { [key: string]: Json } {
  const models = callableModels(endpoint);
  const lead = agents.agents.find(({ name }) => name === agents.default)?.model ?? null;
  const first = (lead === null ? undefined : endpointModel(endpoint, lead)) ?? models[0];
  const model: { [key: string]: Json } = first === undefined ? {} : { model: `${GATEWAY}/${first.wireId}`, small_model: `${GATEWAY}/${first.wireId}` };
  return {
    // OpenCode writes this line into the file when it is missing.
    $schema: "https://opencode.ai/config.json",
    ...model,
    default_agent: nativeAgent(agents.default),
    enabled_providers: [GATEWAY],
    provider: {
      [GATEWAY]: {
        name: "Beeuni gateway", npm: "@ai-sdk/openai-compatible",
        // The gateway holds the keys; the token in its path is all it wants.
        options: { baseURL: `${endpoint.root}/v1`, apiKey: "beeuni" },
        models: Object.fromEntries(models.map((entry) => [entry.wireId, nativeModel(entry)])),
      },
    },
    agent: {
      ...Object.fromEntries(BUILTIN_LEADS.map((name) => [name, { disable: true }])),
      ...Object.fromEntries(agents.agents.map((agent) => [nativeAgent(agent.name), nativeAgentConfig(agent, endpoint, agents)])),
    },
    permission: { ...ALLOWED },
    share: "disabled", autoupdate: false, formatter: false, lsp: false,
    // A refused call is a result that the model reads, not the end of the turn.
    experimental: { continue_loop_on_deny: true },
  };
}

/** OpenCode asks by itself for some of these; here the host decides about all of them. */
const ALLOWED: { [permission: string]: Json } = {
  "*": "allow", read: "allow", external_directory: "allow", doom_loop: "allow", question: "allow", plan_enter: "deny", plan_exit: "deny", skill: "deny",
};

function nativeModel({ name, contextWindow, maxOutput, reasoning, images, variants }: ModelEndpoint["models"][number]): Json {
  return {
    name, limit: { context: contextWindow, output: maxOutput }, tool_call: true, temperature: true, reasoning, attachment: images,
    modalities: { input: images ? ["text", "image"] : ["text"], output: ["text"] },
    // OpenCode's client writes `reasoningEffort` as `reasoning_effort`, and all it does not know as it is.
    variants: Object.fromEntries(Object.entries(variants).map(([variant, { reasoning_effort: effort, ...settings }]) =>
      [variant, { ...settings, ...(effort === undefined ? {} : { reasoningEffort: effort }) }])),
  };
}

function nativeAgentConfig(agent: AgentSpec, endpoint: ModelEndpoint, agents: AgentSet): Json {
  const model = agent.model === null ? undefined : endpointModel(endpoint, agent.model);
  return {
    mode: agent.mode,
    ...(agent.description === "" ? {} : { description: agent.description }),
    ...(agent.prompt.trim() === "" ? {} : { prompt: agent.prompt.trim() }),
    ...(model === undefined ? {} : { model: `${GATEWAY}/${model.wireId}` }),
    ...(model === undefined || agent.variant === null || model.variants[agent.variant] === undefined ? {} : { variant: agent.variant }),
    ...(agent.temperature === null ? {} : { temperature: agent.temperature }),
    ...(agent.topP === null ? {} : { top_p: agent.topP }),
    // OpenCode's last step is the one that should answer in text: ours are the steps before it.
    ...(agent.steps === null ? {} : { steps: agent.steps + 1 }),
    options: agent.options,
    permission: {
      ...ALLOWED, doom_loop: repeatedCalls(agent)?.action ?? "allow",
      ...Object.fromEntries(hiddenKeys(agent.tools, agents.hostTools).map((key) => [key, "deny"])),
    },
  };
}

/** The rule about a third equal call in a row. Only OpenCode sees that one coming; `ask` reaches the host. */
function repeatedCalls({ permissions }: AgentSpec): AgentSpec["permissions"][number] | undefined {
  return permissions.findLast(({ permission }) => permission === "doom_loop");
}

function enforcedRules(agent: AgentSpec): EnforcedRule[] {
  return hostEnforcedRules(agent, dialect).map((rule) => {
    if (rule.permission === "doom_loop" && rule.action !== "ask") return { ...rule, enforcer: "harness" };
    if (rule.action === "ask" && (rule.permission === "websearch" || rule.permission === "webfetch")) return { ...rule, reason: "Beeuni's web tools can't ask on this harness: their calls are denied" };
    return rule;
  });
}

function unsupportedOf(agent: AgentSpec, endpoint: ModelEndpoint): Compiled["unsupported"] {
  const field = (name: string): string => `agents.${agent.name}.${name}`;
  const problems: Compiled["unsupported"] = [];
  const model = agent.model === null ? undefined : endpointModel(endpoint, agent.model);
  if (agent.variant !== null && model !== undefined && model.variants[agent.variant] === undefined) {
    const offered = Object.keys(model.variants);
    problems.push({
      field: field("variant"), effect: `"${agent.variant}" changes nothing`,
      why: `the model ${model.ref.provider}/${model.ref.id} has ${offered.length === 0 ? "no variants" : `the variants ${offered.join(", ")}`}`,
    });
  }
  const shown = visibleAgainst(agent.tools);
  if (shown !== null) problems.push({ field: field("tools"), effect: `the model sees ${shown} too, and a call of it is denied`, why: "OpenCode hides `edit` and `write` only together" });
  return problems;
}

/**
 * OpenCode installs the types of its plugin interface into each configuration folder, from the network and before it
 * loads a plugin. A folder that already lists them is left alone.
 */
function nothingToInstall(): { [path: string]: string } {
  const dependencies = { "@opencode-ai/plugin": "*" };
  return {
    "config/opencode/package.json": toText({ private: true, dependencies }),
    "config/opencode/package-lock.json": toText({ packages: { "": { dependencies } } }),
    "config/opencode/node_modules/.keep": "",
  };
}

/** JSON in which nothing looks like a variable or a file to be put in: OpenCode replaces `{env:…}` and `{file:…}` first. */
export function toText(document: Json): string {
  return `${JSON.stringify(document, null, 2).replaceAll(/\{(?=(?:env|file):)/g, "\\u007b")}\n`;
}
