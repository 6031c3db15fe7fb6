import type { IncomingMessage } from "node:http";
import type { ModelProtocol } from "@beeuni/protocol";
import type { Routed } from "./principals.ts";

/** `GET …/v1/models` is one path for both families of clients; Anthropic's name their API version in each request. */
export function modelListProtocol(request: IncomingMessage): ModelProtocol {
  return request.headers["anthropic-version"] === undefined ? "chat-completions" : "messages";
}

/** The principal's models, all of them or one, in the shape of the client's family. Undefined when it has no such model. */
export function encodeModels(protocol: ModelProtocol, routes: ReadonlyMap<string, Routed>, wanted: string | undefined): unknown {
  const encode = protocol === "messages" ? anthropicModel : openaiModel;
  if (wanted !== undefined) {
    const routed = routes.get(wanted);
    return routed === undefined ? undefined : encode(routed);
  }
  const data = [...routes.values()].map(encode);
  const ids = [...routes.keys()];
  return protocol === "messages"
    ? { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null }
    : { object: "list", data };
}

function openaiModel({ provider, model }: Routed): object {
  return { id: model.id, object: "model", created: 0, owned_by: provider.id };
}

function anthropicModel({ model }: Routed): object {
  return { type: "model", id: model.id, display_name: model.name, created_at: "1970-01-01T00:00:00Z" };
}
