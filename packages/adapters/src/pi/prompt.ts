import type { AgentSet, AgentSpec, RulesFile } from "@beeuni/protocol";
import { visibleTools } from "@beeuni/harness";
import { BUILTIN_TOOL_NAMES } from "./tools/index.ts";

/** For an agent whose file has no body. */
const DEFAULT_PROMPT = `You are a coding agent. You work in a folder of the user's, with tools that read and change its files and run commands there.

Do what the user asks, wholly, and nothing beyond it. Look before you act: read the files that matter, and follow the conventions that you find in them. Prefer the smallest change that solves the problem. Run the project's tests or checks when there are some and your change could break them.

Never make up a file's content, a command's output or a fact about the project: look it up. When a tool call fails or is refused, read the message and choose another way; do not repeat the same call. Ask the user only when you can't decide well yourself. Don't commit, push, publish or delete what you did not create unless the user asked for it.

Answer briefly and plainly. Name files by their paths. Say what you did and what you could not do; when you changed something, say how you checked it.`;

/**
 * The system prompt of an agent: its own prompt, the project's rules file as the section after it, and what it can do
 * here. Pi adds the working directory. Pure; the same input gives the same text, so that providers can cache it.
 */
export function systemPrompt(agent: AgentSpec, agents: Pick<AgentSet, "rulesFile" | "hostTools">): string {
  const prompt = agent.prompt.trim();
  return [prompt === "" ? DEFAULT_PROMPT : prompt, ...rulesSection(agents.rulesFile), capabilities(toolsOf(agent, agents.hostTools))].join("\n\n");
}

/** Names of the tools that the agent's model sees, built-in ones first. A host tool replaces a built-in of its name. */
export function toolsOf(agent: AgentSpec, hostTools: AgentSet["hostTools"]): string[] {
  return visibleTools(agent.tools, [...new Set([...BUILTIN_TOOL_NAMES, ...hostTools.map(({ name }) => name)])]);
}

function rulesSection(file: RulesFile | null): string[] {
  if (file === null || file.text.trim() === "") return [];
  return [`<project_instructions path="${file.path}">\n${file.text.trim()}\n</project_instructions>`];
}

function capabilities(tools: readonly string[]): string {
  const lines = [`Registered tools: ${tools.length === 0 ? "none; answer in text" : tools.join(", ")}`];
  if (tools.includes("question")) lines.push("Use question when you need a decision of the user: it waits for the answer. Don't end your turn with a question instead.");
  return `## Runtime capabilities\n\n${lines.join("\n")}`;
}
