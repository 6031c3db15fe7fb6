import type { Json } from "@beeuni/protocol";
import type { Conversation, Reply, ToolSchema } from "./conversation.ts";
import { parseScript, type Script, type Step } from "./directives.ts";
import { asSchema, fillObject } from "./fill.ts";

/**
 * What the faux model answers. Stateless: the script stands in the last user message that holds any directive, and the
 * tool results since that message say how far it has come. `timesSeen` counts requests like this one before it; only
 * `[[err: STATUS xN]]` asks.
 */
export function planReply(conversation: Conversation, timesSeen: () => number): Reply {
  const { turns } = conversation;
  const at = turns.findLastIndex((turn) => turn.role === "user" && parseScript(turn.text) !== null);
  if (at < 0) return demoReply(conversation);
  const script = parseScript(turns[at]!.text)!;
  const results = turns.slice(at + 1).filter((turn) => turn.role === "tool").map((turn) => turn.text);
  const step = currentStep(script, conversation, results.length, timesSeen);
  if (step === undefined) {
    const last = results.at(-1);
    return message({ pause: script.pause, text: last === undefined ? plainText(conversation) : `Done. The last tool returned:\n\n${quote(last)}` });
  }
  return replyTo(step, conversation);
}

/** The step that this call is for; undefined after the last one. */
function currentStep(script: Script, conversation: Conversation, results: number, timesSeen: () => number): Step | undefined {
  let left = results;
  let seen: number | undefined;
  for (const step of script.steps) {
    if (step.kind === "error" && step.times !== null) {
      seen ??= timesSeen();
      if (seen < step.times) return step;
      seen -= step.times;
      continue;
    }
    const takes = step.kind === "tools" ? step.calls.length : 1;
    if (left >= takes) {
      left -= takes;
      continue;
    }
    // A step that can't be taken now; one that has its results was taken when there were tools.
    if ((step.kind === "tools" || step.kind === "shell") && conversation.tools.length === 0 && !step.forced) continue;
    return step;
  }
  return undefined;
}

function replyTo(step: Step, conversation: Conversation): Reply {
  const { pause, think, say } = step;
  switch (step.kind) {
    case "text": return message({ pause, think, text: say + step.text });
    case "cut": return message({ pause, think, text: say + step.text, cut: true });
    case "hang": return { kind: "hang" };
    case "error": return { kind: "error", status: step.status, message: step.message, retryAfter: step.retryAfter };
    case "shell": {
      const tool = shellTool(conversation.tools);
      if (tool === undefined && !step.forced) {
        const names = conversation.tools.map(({ name }) => name).join(", ");
        return { kind: "error", status: 400, message: `[[shell]]: no tool of this request takes a "command"; its tools: ${names}`, retryAfter: null };
      }
      return message({ pause, think, text: say, calls: [shellCall(tool, step.command)] });
    }
    case "tools": {
      const calls = step.calls.map(({ name, input }) => {
        const schema = conversation.tools.find((tool) => tool.name === name)?.parameters ?? {};
        return { name, arguments: JSON.stringify(fillObject(schema, input)) };
      });
      return message({ pause, think, text: say, calls });
    }
  }
}

/** Without a script: looks around with the shell once, then tells what it saw. */
function demoReply(conversation: Conversation): Reply {
  const { turns, tools } = conversation;
  const at = turns.findLastIndex((turn) => turn.role === "user");
  const result = turns.slice(at + 1).findLast((turn) => turn.role === "tool");
  if (result !== undefined) return message({ text: tellResult(result.text) });
  const tool = shellTool(tools);
  if (tool === undefined) return message({ text: plainText(conversation) });
  return message({ text: "Let me look. ", calls: [shellCall(tool, "ls")] });
}

const SELF = "I am faux/demo, a scripted stand-in: no model was asked. Choose a real one with --model.";

function tellResult(text: string): string {
  return text.trim() === "" ? `I ran \`ls\` and it printed nothing: the folder is empty.\n\n${SELF}` : `I ran \`ls\` and this came back:\n\n${quote(text)}\n\n${SELF}`;
}

/** For requests without tools: titles, summaries, JSON, and agents that have none. */
function plainText(conversation: Conversation): string {
  if (conversation.json !== undefined) return JSON.stringify(conversation.json === true ? {} : fillObject(conversation.json));
  if (conversation.tools.length > 0) return "Done.";
  const system = conversation.turns.filter((turn) => turn.role === "system").map((turn) => turn.text).join("\n");
  return /\btitle\b/i.test(system) ? "A scripted conversation" : `${SELF} I was given no tools, so I can only talk.`;
}

function quote(text: string): string {
  const shown = text.trimEnd().slice(0, 4000);
  return `\`\`\`\n${shown}${shown.length < text.trimEnd().length ? "\n…" : ""}\n\`\`\``;
}

/** The tool that runs shell commands, known by its schema: tools have other names in other harnesses. */
function shellTool(tools: readonly ToolSchema[]): ToolSchema | undefined {
  return tools.find((tool) => asSchema(tool.parameters["properties"])?.["command"] !== undefined);
}

function shellCall(tool: ToolSchema | undefined, command: string): { name: string; arguments: string } {
  const schema = tool?.parameters ?? {};
  const type = asSchema(asSchema(schema["properties"])?.["command"])?.["type"];
  const value: Json = type === "array" ? ["bash", "-lc", command] : command;
  return { name: tool?.name ?? "bash", arguments: JSON.stringify(fillObject(schema, { command: value })) };
}

function message(parts: { pause?: number; think?: string; text: string; calls?: { name: string; arguments: string }[]; cut?: boolean }): Reply {
  return { kind: "message", pause: 0, think: "", calls: [], cut: false, ...parts };
}
