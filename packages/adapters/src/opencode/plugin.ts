/** Bodies of the plugin's requests to the bridge, as JSON. `session`, `message` and `call` are OpenCode's ids. */
export interface HelloRequest { directory: string; pid: number }
export interface AuthorizeRequest { session: string; call: string; tool: string; input: { [key: string]: unknown } }
export interface ToolRequest { args: { [key: string]: unknown }; agent: string; directory: string; session?: string; message?: string; call?: string }

/** What stands in the settings file beside the plugin. */
export interface PluginSettings {
  /** Address of the bridge, no slash at the end. */
  url: string;
  token: string;
  tools: { name: string; description: string; parameters: object }[];
  /** By OpenCode's agent name: what the request's sampling fields are, null for left out. */
  sampling: { [agent: string]: { temperature: number | null; topP: number | null } };
}

/** Names the agent of a model request, for the trace. The gateway keeps it to itself. */
export const AGENT_HEADER = "x-beeuni-agent";
/** Tells the shell which call it runs for. */
export const CALL_VARIABLE = "BEEUNI_CALL";

/**
 * The plugin, as OpenCode loads it. It asks the bridge before each call and throws what the model is to read when the answer
 * is no; a bridge that does not answer is a no. Host tools post to the bridge. The text is the same in every session.
 */
export const PLUGIN = String.raw`// Written by beeuni for one session. Changes are lost at the next start.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Whatever its settings say, OpenCode imports what lies in .opencode/plugin of the workspace: code of anybody's, with
// OpenCode's rights. Only OpenCode itself and this file's folder are loaded as code.
const own = fileURLToPath(new URL("../", import.meta.url)).replace(/[^A-Za-z0-9/_-]/g, (char) => "\\" + char);
Bun.plugin({
  name: "beeuni-own-code-only",
  setup(build) {
    build.onLoad({ filter: new RegExp("^(?!/\\$bunfs/|" + own + ")/.*\\.[cm]?[jt]sx?$") }, ({ path }) => {
      throw new Error("beeuni: " + path + " is not loaded, it is no code of this session");
    });
  },
});

export default async ({ directory }) => {
  const { url, token, tools, sampling } = JSON.parse(readFileSync(new URL("../beeuni.json", import.meta.url), "utf8"));
  const schemas = new Map(tools.map((tool) => [tool.name, tool.parameters]));

  const post = async (path, body, signal) => {
    const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
    // A person may take an hour to answer: no time limit.
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body), signal, timeout: false });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error ?? "the host answered " + response.status);
    return answer;
  };

  // The server has read it; commands need not inherit it.
  delete process.env.OPENCODE_SERVER_PASSWORD;
  await post("/beeuni/hello", { directory, pid: process.pid });

  return {
    tool: Object.fromEntries(tools.map(({ name, description, parameters }) => [name, {
      description,
      args: parameters.properties ?? {},
      execute: async (args, { sessionID, messageID, callID, agent, directory, abort }) => {
        const body = { args, agent, directory, session: sessionID, message: messageID, call: callID };
        const { output, metadata } = await post("/beeuni/tools/" + encodeURIComponent(name), body, abort);
        return { title: name, output, metadata };
      },
    }])),
    // From \`args\` OpenCode makes a schema in which every property is required.
    "tool.definition": async ({ toolID }, output) => {
      if (schemas.has(toolID)) output.jsonSchema = schemas.get(toolID);
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const answer = await post("/beeuni/authorize", { session: sessionID, call: callID, tool, input: args });
      if (answer.allow !== true) throw new Error(answer.message);
    },
    "chat.params": async ({ agent }, output) => {
      const own = sampling[typeof agent === "string" ? agent : agent?.name];
      if (own === undefined) return;
      output.temperature = own.temperature ?? undefined;
      output.topP = own.topP ?? undefined;
      output.topK = undefined;
    },
    "chat.headers": async ({ agent }, output) => {
      output.headers["${AGENT_HEADER}"] = encodeURIComponent(typeof agent === "string" ? agent : agent?.name ?? "");
    },
    "shell.env": async ({ callID }, output) => {
      output.env.${CALL_VARIABLE} = callID ?? "";
    },
  };
};
`;
