import { fields, list, string, type Fields } from "../wire/fields.ts";

/** One tool, system block or message. `key` is equal exactly when the model would read the same. */
export interface Element {
  value: unknown;
  canonical: unknown;
  key: string;
  /** What it is, for pairing a removed with an added one: a tool's name, a message's role or type. */
  kind: string;
}

/** A request in the order in which a provider's cache reads it: tools, system, messages. The rest is parameters. */
export interface RequestSections {
  tools: Element[];
  system: Element[];
  messages: Element[];
  parameters: { [name: string]: unknown };
}

type Split = (body: Fields) => { tools: readonly unknown[]; system: readonly unknown[]; messages: readonly unknown[]; used: readonly string[] };

const SPLITS: { [protocol: string]: Split } = {
  "chat-completions": (body) => {
    const all = list(body["messages"]);
    const lead = leadingInstructions(all);
    return { tools: list(body["tools"]), system: all.slice(0, lead), messages: all.slice(lead), used: ["tools", "messages"] };
  },
  responses: (body) => {
    const input = body["input"];
    const all = typeof input === "string" ? [{ role: "user", content: input }] : list(input);
    const lead = leadingInstructions(all);
    const instructions = string(body["instructions"]);
    const system = [...(instructions === null ? [] : [{ role: "system", content: instructions }]), ...all.slice(0, lead)];
    return { tools: list(body["tools"]), system, messages: all.slice(lead), used: ["tools", "instructions", "input"] };
  },
  messages: (body) => {
    const system = body["system"];
    const blocks = typeof system === "string" ? [{ type: "text", text: system }] : list(system);
    return { tools: list(body["tools"]), system: blocks, messages: list(body["messages"]), used: ["tools", "system", "messages"] };
  },
};

export const DIFFABLE_PROTOCOLS = Object.keys(SPLITS);

/** The protocol is one of `DIFFABLE_PROTOCOLS`. */
export function requestSections(protocol: string, body: Fields): RequestSections {
  const { tools, system, messages, used } = SPLITS[protocol]!(body);
  const rest = Object.entries(body).filter(([name]) => !used.includes(name));
  return { tools: tools.map(element), system: system.map(element), messages: messages.map(element), parameters: Object.fromEntries(rest) };
}

function leadingInstructions(items: readonly unknown[]): number {
  const first = items.findIndex((item) => !["system", "developer"].includes(string(fields(item)["role"]) ?? ""));
  return first < 0 ? items.length : first;
}

function element(value: unknown): Element {
  const canonical = canonicalElement(value);
  const item = fields(value);
  const kind = string(item["name"]) ?? string(fields(item["function"])["name"]) ?? string(item["role"]) ?? string(item["type"]) ?? "";
  return { value, canonical, key: JSON.stringify(canonical), kind };
}

/**
 * Ways of writing the same thing become one: a text as string or as one text block, the order of an element's own fields,
 * `type: "message"` left out. `cache_control` marks go: they say where to cache, not what the model reads. Anything
 * deeper (schemas, tool arguments) stays as written, since its order reaches the model.
 */
function canonicalElement(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const item: { [key: string]: unknown } = { ...value };
  if (item["type"] === "message" && item["role"] !== undefined) delete item["type"];
  if (typeof item["content"] === "string") item["content"] = [{ type: "text", text: item["content"] }];
  if (Array.isArray(item["content"])) item["content"] = item["content"].map((block: unknown) => ownFields(block));
  return ownFields(item);
}

function ownFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== "cache_control");
  const item = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  // The Responses protocol names its text blocks by direction.
  if (item["type"] === "input_text" || item["type"] === "output_text") item["type"] = "text";
  return item;
}
