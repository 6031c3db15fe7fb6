import type { ModelEndpoint, ModelProtocol, ModelRef } from "@beeuni/protocol";
import type { TraceWriter } from "@beeuni/trace";

export interface ProviderModel {
  id: string;
  name: string;
  contextWindow: number;
  maxOutput: number;
  reasoning: boolean;
  images: boolean;
  /** Variant name → what the request carries for it, e.g. `{ reasoning_effort: "high" }`. */
  variants: { [name: string]: { [key: string]: import("@beeuni/protocol").Json } };
}

/** A place that serves models. Keys live here and nowhere else. */
export interface Provider {
  id: string;
  label: string;
  /** Base URL with its version segment, e.g. `https://host/v1`. Undefined for the built-in faux provider. */
  baseUrl?: string;
  protocols: readonly ModelProtocol[];
  /** Header that carries the key, made anew for each request; undefined when the provider needs none. */
  credential?: () => readonly [string, string] | undefined;
  /** Models known ahead. A model that is not listed is passed on as it is, with default limits. */
  models: readonly ProviderModel[];
  /** Where it came from, for messages: a file with line, or a variable's name. Never a value. */
  origin: string;
}

export interface PrincipalSpec {
  /** Whoever the token stands for: a session id. */
  id: string;
  /** What this principal may call. Anything else is refused with 404 in the protocol's own error shape. */
  models: readonly ModelRef[];
  trace: TraceWriter;
}

export interface Principal {
  id: string;
  endpoint: ModelEndpoint;
  /** The token stops working; running calls are aborted. */
  revoke(): void;
}

export interface Gateway {
  readonly providers: readonly Provider[];
  /** Resolves `provider/model` against the providers; throws `model_not_found` with near names. */
  resolve(model: ModelRef): { provider: Provider; model: ProviderModel };
  principal(spec: PrincipalSpec): Principal;
  /** Loopback URL of the listener. */
  readonly url: string;
  close(): Promise<void>;
}
