import type { IncomingMessage, ServerResponse } from "node:http";
import { nearNames } from "@beeuni/protocol";
import { Exchange } from "./exchange.ts";
import { pairHeaders, requestHeaders } from "./headers.ts";
import { findModel } from "./model-scan.ts";
import type { Holder } from "./principals.ts";
import type { Refusal } from "./refusal.ts";
import { decodeBody, readBody } from "./request-body.ts";
import type { Target } from "./target.ts";
import type { Provider } from "./types.ts";
import type { Upstream } from "./upstream.ts";

export interface CallContext {
  holder: Holder;
  target: Extract<Target, { kind: "call" }>;
  bodyLimit: number;
  upstreamOf: (provider: Provider) => Upstream;
  log: (message: string) => void;
}

/**
 * Serves one model request: records it, finds its model, sends it on as it came. Throws only when the trace can't take
 * a new call; everything else is answered.
 */
export async function serveCall(context: CallContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { holder, target } = context;
  const headers = pairHeaders(request.rawHeaders);
  const recorder = holder.trace.begin({ method: request.method ?? "", target: target.masked, headers, protocol: target.protocol });
  const exchange = new Exchange({ protocol: target.protocol, response, recorder, log: context.log });
  holder.running.add(exchange);
  void exchange.done.then(() => holder.running.delete(exchange));

  const read = await readBody(request, context.bodyLimit, (chunk) => {
    if (!exchange.ended) recorder.requestBody(chunk);
  });
  if (read.type === "gone" || exchange.ended) return;
  if (read.type === "too-large") return exchange.refuse(tooLarge(context.bodyLimit));
  recorder.requestEnd();

  const decoded = await decodeBody(read.body, request.headers["content-encoding"], context.bodyLimit);
  if (decoded.type !== "plain") return exchange.refuse(undecodable(decoded.type, context.bodyLimit));
  const asked = findModel(decoded.bytes);
  if (asked === undefined) return exchange.refuse({ status: 400, code: "invalid_request", message: 'the request body must be a JSON object with a string "model"' });
  const routed = holder.routes.get(asked);
  if (routed === undefined) return exchange.refuse(unknownModel(asked, [...holder.routes.keys()]));
  const { provider } = routed;
  if (!provider.protocols.includes(target.protocol)) {
    const message = `${provider.id}/${asked} is not served as ${target.protocol}, only as ${provider.protocols.join(", ")}`;
    return exchange.refuse({ status: 400, code: "protocol_not_supported", message });
  }
  // Made anew for each request, and once.
  const credential = provider.credential?.();
  exchange.start(
    context.upstreamOf(provider),
    { protocol: target.protocol, caller: holder.id, path: target.path + target.query, headers: requestHeaders(headers, [...(provider.headers ?? []), ...(credential === undefined ? [] : [credential])]), body: read.body },
    { provider: provider.id, upstream: (provider.baseUrl ?? `in-process:${provider.id}`) + target.path, model: asked },
    credential === undefined ? [] : [credential[1].replace(/^bearer /i, "")],
  );
}

function tooLarge(limit: number): Refusal {
  return { status: 413, code: "body_too_large", message: `the request body is larger than ${limit} bytes` };
}

function undecodable(type: "unknown-coding" | "damaged" | "too-large", limit: number): Refusal {
  if (type === "too-large") return tooLarge(limit);
  if (type === "damaged") return { status: 400, code: "invalid_request", message: "the request body can't be decoded as its content-encoding says" };
  return { status: 415, code: "invalid_request", message: "the request's content-encoding is not known; send it plain, or as gzip, deflate, br or zstd" };
}

function unknownModel(asked: string, known: readonly string[]): Refusal {
  const near = nearNames(asked, known);
  const hint = near.length > 0 ? `did you mean ${near.join(" or ")}?` : `its models: ${known.join(", ")}`;
  return { status: 404, code: "model_not_found", message: `this session has no model "${asked.slice(0, 200)}"; ${hint}` };
}
