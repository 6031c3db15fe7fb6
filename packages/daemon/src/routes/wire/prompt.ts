import { z } from "zod";
import { BeeuniError, isId, type PromptPart } from "@beeuni/protocol";
import type { PromptInput } from "../../types.ts";

/** Clients send more than is read here, also in parts; what is not known is left alone. */
const Part = z.looseObject({ type: z.string(), id: z.string().optional() });
const TextPart = z.looseObject({ text: z.string(), ignored: z.boolean().optional() });
const FilePart = z.looseObject({ url: z.string(), mime: z.string().default("application/octet-stream"), filename: z.string().optional() });
const Model = z.looseObject({ providerID: z.string(), modelID: z.string(), variant: z.string().optional() });

export const WirePrompt = z.looseObject({
  parts: z.array(Part).min(1, "parts must be a non-empty array").max(64),
  messageID: z.string().optional(), agent: z.string().optional(), model: Model.optional(), variant: z.string().optional(),
  /** Older clients name the model beside the parts. */
  providerID: z.string().optional(), modelID: z.string().optional(),
  noReply: z.boolean().optional(), system: z.string().optional(), tools: z.record(z.string(), z.boolean()).optional(),
  format: z.looseObject({ type: z.string() }).optional(),
});
export type WirePrompt = z.infer<typeof WirePrompt>;

/**
 * A prompt of the wire as the session takes it. What changes the turn in a way that no harness here can follow is refused
 * with 501, never left out silently. Throws `invalid_request` with every problem of the parts.
 */
export function promptInput(prompt: WirePrompt): PromptInput {
  const { messageID, agent, variant } = prompt;
  for (const [isAsked, what] of unsupported(prompt)) {
    if (isAsked) throw new BeeuniError("feature_not_supported", `${what} is not supported`, { hint: "leave it out; agents and rules belong into the project's files" });
  }
  if (messageID !== undefined && !isId(messageID, "msg")) throw new BeeuniError("invalid_request", "messageID must be a message id (msg_…)", { hint: "leave it out for a new one" });
  const model = prompt.model ?? (prompt.providerID === undefined || prompt.modelID === undefined ? undefined : { providerID: prompt.providerID, modelID: prompt.modelID });
  const wanted = variant ?? prompt.model?.variant;
  return {
    parts: partsOf(prompt.parts), ...(messageID === undefined ? {} : { messageId: messageID }), ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model: `${model.providerID}/${model.modelID}` }), ...(wanted === undefined ? {} : { variant: wanted }),
  };
}

function unsupported({ noReply, system, tools, format, parts }: WirePrompt): [boolean, string][] {
  const types = new Set(parts.map(({ type }) => type));
  return [
    [noReply === true, "a prompt without a reply"],
    [system !== undefined && system.trim() !== "", "a prompt's own system text"],
    [Object.values(tools ?? {}).includes(false), "switching tools off for one prompt"],
    [format !== undefined && format.type !== "text", "an answer in a given format"],
    [types.has("agent") || types.has("subtask"), "handing a part of a prompt to a sub-agent"],
    [parts.some((part) => part["ignored"] === true), "a part that the model does not see"],
  ];
}

function partsOf(parts: WirePrompt["parts"]): PromptPart[] {
  const problems: string[] = [];
  const read = parts.flatMap((part, index): PromptPart[] => {
    // A client may have shown the part under its id already; one of another form gets one of ours.
    const id = part.id !== undefined && isId(part.id, "prt") ? { id: part.id } : {};
    if (part.type === "text") {
      const { data } = TextPart.safeParse(part);
      if (data !== undefined) return [{ ...id, type: "text", text: data.text }];
    } else if (part.type === "file") {
      const { data } = FilePart.safeParse(part);
      if (data !== undefined) return [{ ...id, type: "file", url: data.url, mime: data.mime, ...(data.filename === undefined ? {} : { filename: data.filename }) }];
    }
    problems.push(`parts[${index}]: a text part has a text, a file part a url (got type "${part.type}")`);
    return [];
  });
  if (problems.length > 0) throw new BeeuniError("invalid_request", problems.join("; "));
  return read;
}
