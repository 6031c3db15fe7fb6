// The bare side: the harness's own SDK in a plain process, talking to the faux server directly.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serveTurns } from "./measure.ts";

const [toolchain, baseUrl, workspace, state, prompt] = process.argv.slice(2) as [string, string, string, string, string];
const entry = join(toolchain, "node_modules/@earendil-works/pi-coding-agent/dist/index.js");
const sdk = await import(pathToFileURL(entry).href);

mkdirSync(state, { recursive: true });
writeFileSync(join(state, "models.json"), JSON.stringify({
  providers: {
    faux: {
      baseUrl, api: "openai-completions", apiKey: "none",
      models: [{ id: "demo", name: "demo", reasoning: false, input: ["text"], contextWindow: 128_000, maxTokens: 8192, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }],
    },
  },
}));
const modelRuntime = await sdk.ModelRuntime.create({ authPath: join(state, "auth.json"), modelsPath: join(state, "models.json") });
const { session } = await sdk.createAgentSession({
  cwd: workspace, agentDir: state, model: modelRuntime.getModel("faux", "demo"), thinkingLevel: "off", modelRuntime,
  resourceLoader: {
    getExtensions: () => ({ extensions: [], errors: [], runtime: sdk.createExtensionRuntime() }),
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles: [] }),
    getSystemPrompt: () => "You are a coding agent.",
    getSystemPromptSource: () => undefined,
    getAppendSystemPrompt: () => [],
    getAppendSystemPromptSources: () => [],
    extendResources: () => {},
    reload: async () => {},
  },
  tools: ["read", "bash", "edit", "write"],
  // Its own session file, as a user of the SDK has it: the hosted side keeps one too.
  sessionManager: sdk.SessionManager.create(workspace, join(state, "sessions")),
  settingsManager: sdk.SettingsManager.inMemory({ compaction: { enabled: false } }),
});

// What an embedding program does with a turn: look at every event, keep the streamed text.
let text = "";
session.subscribe((event: { type: string; assistantMessageEvent?: { type: string; delta?: string } }) => {
  if (event.type === "message_update" && event.assistantMessageEvent?.type === "text_delta") text += event.assistantMessageEvent.delta;
});

await serveTurns(
  async () => {
    text = "";
    await session.prompt(prompt);
    if (!text.includes("done")) throw new Error(`the turn did not end as scripted: ${JSON.stringify(text.slice(0, 200))}`);
  },
  async () => {
    session.dispose();
    process.exit(0);
  },
);
