import { BeeuniError, type QuestionItem } from "@beeuni/protocol";
import type { HostPort, ToolCallRef } from "@beeuni/harness";
import { ABORTED, ToolError, type ToolInput, type ToolResult } from "./tool.ts";

/** What the model sees of the question tool. It is run by `askQuestions`, which needs the host. */
export const QUESTION = {
  name: "question",
  description:
    "Ask the user one or more questions and wait for the answers. Use it when you can't go on without a decision that only the user can make.",
  parameters: {
    type: "object",
    properties: {
      questions: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            question: { type: "string", description: "The whole question" },
            header: { type: "string", description: "A short name for it, at most 30 characters" },
            options: {
              type: "array",
              minItems: 1,
              items: {
                type: "object",
                properties: { label: { type: "string" }, description: { type: "string" } },
                required: ["label", "description"],
              },
            },
            multiple: { type: "boolean", description: "More than one option may be chosen" },
            custom: { type: "boolean", description: "The user may write an answer instead" },
          },
          required: ["question", "header", "options"],
        },
      },
    },
    required: ["questions"],
  },
};

/** Puts the questions to a person and waits. */
export async function askQuestions(host: HostPort, call: ToolCallRef, input: ToolInput): Promise<ToolResult> {
  const questions = input["questions"] as QuestionItem[];
  const answers = await host.ask(call, questions).catch((error: unknown) => {
    if (error instanceof BeeuniError && error.code === "aborted") throw new ToolError("aborted", ABORTED);
    if (error instanceof BeeuniError && error.code === "denied") throw new ToolError("rejected", error.message);
    throw error;
  });
  const lines = questions.map(({ header }, index) => `${header}: ${answers[index]?.join(", ") || "(no answer)"}`);
  return { output: `User answered:\n${lines.join("\n")}`, metadata: { answers } };
}
