import type { Usage } from "@beeuni/protocol";
import { fields, list, number, string, type Fields } from "./fields.ts";
import { addToolCall, errorMessage, type ResponseFacts, type WireProtocol } from "./response-facts.ts";

const TERMINAL = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** OpenAI Responses: typed events; the last one holds the whole response. */
export const responses: WireProtocol = {
  endMark: "response.completed, response.incomplete or response.failed",

  stream(facts) {
    return ({ name, data }) => {
      const event = fields(data);
      const type = string(event["type"]) ?? name;
      const response = fields(event["response"]);
      facts.responseId ??= string(response["id"]);
      facts.served ??= string(response["model"]);
      if (type === "response.output_text.delta") facts.text += string(event["delta"]) ?? "";
      else if (type === "response.output_item.added" || type === "response.output_item.done") toolCall(event["item"], facts);
      else if (type === "error") facts.error ??= string(event["message"]) ?? errorMessage(event) ?? "error event";
      else if (type !== null && TERMINAL.has(type)) {
        facts.ended = true;
        whole(response, facts);
      }
    };
  },

  body(body, facts) {
    const response = fields(body);
    facts.responseId = string(response["id"]);
    facts.served = string(response["model"]);
    whole(response, facts);
  },
};

function whole(response: Fields, facts: ResponseFacts): void {
  const items = list(response["output"]);
  for (const item of items) toolCall(item, facts);
  if (facts.text === "") facts.text = items.map(outputText).join("");
  const status = string(response["status"]);
  facts.finish = string(fields(response["incomplete_details"])["reason"]) ?? status;
  if (response["error"] !== null && response["error"] !== undefined) facts.error ??= errorMessage(response);
  facts.usage = usage(response["usage"]);
}

/** Items that wait for the client's output: function_call, custom_tool_call, local_shell_call, … */
function toolCall(value: unknown, facts: ResponseFacts): void {
  const item = fields(value);
  if (string(item["type"])?.endsWith("_call")) addToolCall(facts, item["call_id"]);
}

function outputText(value: unknown): string {
  const item = fields(value);
  if (item["type"] !== "message") return "";
  return list(item["content"]).map((part) => (fields(part)["type"] === "output_text" ? string(fields(part)["text"]) ?? "" : "")).join("");
}

function usage(value: unknown): Usage | null {
  const report = fields(value);
  const input = number(report["input_tokens"]);
  const output = number(report["output_tokens"]);
  if (input === null || output === null) return null;
  const details = fields(report["input_tokens_details"]);
  const cacheRead = number(details["cached_tokens"]) ?? 0;
  const cacheWrite = number(details["cache_write_tokens"]) ?? 0;
  const reasoning = number(fields(report["output_tokens_details"])["reasoning_tokens"]) ?? 0;
  return { input: Math.max(0, input - cacheRead - cacheWrite), output, reasoning, cacheRead, cacheWrite };
}
