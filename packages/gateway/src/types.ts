import type { Json, ModelEndpoint, ModelProtocol, ModelRef } from "@beeuni/protocol";
import type { TraceWriter } from "@beeuni/trace";
import type { Upstream } from "./upstream.ts";

export interface ProviderModel {
  id: string;
  name: string;
  /** Tokens. */
  contextWindow: number;
  /** Tokens. */
  maxOutput: number;
  reasoning: boolean;
  images: boolean;
  /**
   * Variant name → what the request carries for it. `reasoning_effort` is the neutral name of the effort: an adapter
   * writes it the way its protocol does.
   */
  variants: { [name: string]: { [key: string]: Json } };
}

/** A place that serves models. Keys live here and nowhere else. */
export interface Provider {
  id: string;
  label: string;
  /** Base URL with its version segment, e.g. `https://host/v1`. Undefined for a provider that is served in process. */
  baseUrl?: string;
  /** Serves the calls inside this process: same trace, no second hop. */
  serve?: Upstream;
  protocols: readonly ModelProtocol[];
  /** Header that carries the key, made anew for each request; undefined when the provider needs none. */
  credential?: () => readonly [string, string] | undefined;
  /** Further headers of each request; they replace the client's of the same name. */
  headers?: readonly (readonly [string, string])[];
  /** Models known ahead, the provider's default first. */
  models: readonly ProviderModel[];
  /** `models` is the whole list. Otherwise a model that is not listed is passed on as it is, with default limits. */
  closed?: boolean;
  /** Where it came from, for messages: a file with line, or a variable's name. Never a value. */
  origin: string;
}

export interface PrincipalSpec {
  /** Whoever the token stands for: a session id. */
  id: string;
  /**
   * What this principal may call. Anything else is refused with 404 in the protocol's own error shape. Two models of
   * one wire id can't be told apart in a request: `invalid_request`.
   */
  models: readonly ModelRef[];
  trace: TraceWriter;
}

export interface Principal {
  id: string;
  endpoint: ModelEndpoint;
  /** The token stops working; running calls are aborted. Resolves when their last frames are in the trace. */
  revoke(): Promise<void>;
}

export interface Gateway {
  readonly providers: readonly Provider[];
  /** Resolves `provider/model` against the providers; throws `model_not_found` with near names. */
  resolve(model: ModelRef): { provider: Provider; model: ProviderModel };
  principal(spec: PrincipalSpec): Principal;
  /** Loopback URL of the listener. */
  readonly url: string;
  /** Aborts what runs, writes its end to the traces, frees the port. The traces stay open: they are their owner's. */
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** The faux provider is added when it is not among them. */
  providers: readonly Provider[];
  /** Address to listen on. Default `127.0.0.1`. */
  host?: string;
  /** Default: any free port. */
  port?: number;
  /** Names besides the loopback ones that a client may reach the gateway by (its Host header). */
  hostNames?: readonly string[];
  /** Longest request body in bytes. Default 64 MiB. */
  bodyLimit?: number;
  timeouts?: Partial<UpstreamTimeouts>;
  /** Never gets a token, a key or a body. */
  log?: (level: "info" | "warning" | "error", message: string) => void;
}

/** Milliseconds. */
export interface UpstreamTimeouts {
  /** Until the connection stands. Default 10 s. */
  connect: number;
  /** From the request to the response's head. Models think long before a first byte: default 30 min. */
  head: number;
  /** Between two chunks of the response. Default 15 min. */
  idle: number;
}
