import type { Usage } from "@beeuni/protocol";
import { fields, list, number, string, type Fields } from "./fields.ts";
import { addToolCall, errorMessage, type ResponseFacts, type WireProtocol } from "./response-facts.ts";

/** OpenAI Chat Completions: `data: {chunk}` … `data: [DONE]`. Of several choices the first counts. */
export const chatCompletions: WireProtocol = {
  endMark: "data: [DONE]",

  stream(facts) {
    return ({ data }) => {
      if (data === "[DONE]") {
        facts.ended = true;
        return;
      }
      const chunk = fields(data);
      const choices = list(chunk["choices"]);
      head(chunk, facts);
      const choice = firstChoice(choices);
      const delta = fields(choice["delta"]);
      facts.text += string(delta["content"]) ?? "";
      for (const call of list(delta["tool_calls"])) addToolCall(facts, fields(call)["id"]);
      // Some servers report running totals in every chunk: only the report behind the finish is the call's usage.
      if (facts.finish !== null || choices.length === 0) facts.usage = usage(chunk["usage"]) ?? facts.usage;
    };
  },

  body(body, facts) {
    const completion = fields(body);
    head(completion, facts);
    const message = fields(firstChoice(list(completion["choices"]))["message"]);
    facts.text = string(message["content"]) ?? "";
    for (const call of list(message["tool_calls"])) addToolCall(facts, fields(call)["id"]);
    facts.usage = usage(completion["usage"]);
  },
};

function head(chunk: Fields, facts: ResponseFacts): void {
  // Azure's first chunk (content filter results) has an empty id and model.
  facts.responseId ??= string(chunk["id"]) || null;
  facts.served ??= string(chunk["model"]) || null;
  facts.error ??= chunk["error"] === undefined ? null : errorMessage(chunk);
  facts.finish = string(firstChoice(list(chunk["choices"]))["finish_reason"]) ?? facts.finish;
}

function firstChoice(choices: readonly unknown[]): Fields {
  return fields(choices.find((choice) => (number(fields(choice)["index"]) ?? 0) === 0));
}

function usage(value: unknown): Usage | null {
  const report = fields(value);
  const prompt = number(report["prompt_tokens"]);
  const completion = number(report["completion_tokens"]);
  if (prompt === null || completion === null) return null;
  const details = fields(report["prompt_tokens_details"]);
  const cacheRead = number(details["cached_tokens"]) ?? number(report["prompt_cache_hit_tokens"]) ?? 0;
  const cacheWrite = number(details["cache_write_tokens"]) ?? 0;
  const reasoning = number(fields(report["completion_tokens_details"])["reasoning_tokens"]) ?? 0;
  return { input: Math.max(0, prompt - cacheRead - cacheWrite), output: completion, reasoning, cacheRead, cacheWrite };
}
