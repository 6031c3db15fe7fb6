import type { Usage } from "@beeuni/protocol";
import { fields, list, number, string, type Fields } from "./fields.ts";
import { addToolCall, errorMessage, type ResponseFacts, type WireProtocol } from "./response-facts.ts";

/** Anthropic Messages: message_start, content blocks, message_delta (finish and final usage), message_stop. */
export const messages: WireProtocol = {
  endMark: "message_stop",

  stream(facts) {
    let reported: Fields = {};
    return ({ name, data }) => {
      const event = fields(data);
      switch (string(event["type"]) ?? name) {
        case "message_start": {
          const message = fields(event["message"]);
          head(message, facts);
          // Its output count is a placeholder: the usage is known when message_delta came.
          reported = fields(message["usage"]);
          break;
        }
        case "content_block_start":
          block(event["content_block"], facts);
          break;
        case "content_block_delta": {
          const delta = fields(event["delta"]);
          if (delta["type"] === "text_delta") facts.text += string(delta["text"]) ?? "";
          break;
        }
        case "message_delta": {
          facts.finish = string(fields(event["delta"])["stop_reason"]) ?? facts.finish;
          const final = Object.entries(fields(event["usage"])).filter(([, value]) => value !== null);
          if (final.length === 0) break;
          reported = { ...reported, ...Object.fromEntries(final) };
          facts.usage = usage(reported);
          break;
        }
        case "message_stop":
          facts.ended = true;
          break;
        case "error":
          facts.error ??= errorMessage(event) ?? "error event";
          break;
      }
    };
  },

  body(body, facts) {
    const message = fields(body);
    head(message, facts);
    for (const content of list(message["content"])) block(content, facts);
    facts.finish = string(message["stop_reason"]);
    facts.usage = usage(fields(message["usage"]));
  },
};

function head(message: Fields, facts: ResponseFacts): void {
  facts.responseId = string(message["id"]);
  facts.served = string(message["model"]);
}

function block(value: unknown, facts: ResponseFacts): void {
  const content = fields(value);
  if (content["type"] === "tool_use") addToolCall(facts, content["id"]);
  if (content["type"] === "text") facts.text += string(content["text"]) ?? "";
}

/** Here `input_tokens` leaves the cached tokens out already, and reasoning is not told apart from output. */
function usage(report: Fields): Usage | null {
  const input = number(report["input_tokens"]);
  const output = number(report["output_tokens"]);
  if (input === null || output === null) return null;
  return {
    input, output, reasoning: 0,
    cacheRead: number(report["cache_read_input_tokens"]) ?? 0,
    cacheWrite: number(report["cache_creation_input_tokens"]) ?? 0,
  };
}
