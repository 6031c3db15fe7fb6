import type { ModelProtocol } from "@beeuni/protocol";
import { createGateway } from "../gateway.ts";
import type { Gateway, GatewayOptions, Principal, Provider } from "../types.ts";
import { MemoryTrace } from "./memory-trace.ts";

export const SECRET = "sk-secret-of-the-provider";

/** A provider `up` with the one model `m1`, served on every protocol at `baseUrl`. */
export function testProvider(baseUrl: string, parts: Partial<Provider> = {}): Provider {
  const protocols: readonly ModelProtocol[] = ["chat-completions", "responses", "messages"];
  return {
    id: "up", label: "Upstream", baseUrl, protocols, credential: () => ["authorization", `Bearer ${SECRET}`],
    models: [{ id: "m1", name: "Model 1", contextWindow: 1000, maxOutput: 100, reasoning: false, images: false, variants: {} }], origin: "test", ...parts,
  };
}

export interface OpenGateway extends AsyncDisposable {
  gateway: Gateway;
  principal: Principal;
  trace: MemoryTrace;
  port: number;
  /** `/s/<token>/v1`. */
  path: string;
  /** `http://…/s/<token>/v1`. */
  base: string;
  log: string[];
}

/** A gateway with one principal that may call all models of its providers. */
export async function openGateway(providers: readonly Provider[], options: Partial<GatewayOptions> = {}): Promise<OpenGateway> {
  const log: string[] = [];
  const gateway = await createGateway({ providers, log: (_level, message) => void log.push(message), ...options });
  const trace = new MemoryTrace();
  const models = gateway.providers.flatMap((provider) => provider.models.map((model) => ({ provider: provider.id, id: model.id })));
  const principal = gateway.principal({ id: "ses_test", models, trace });
  const base = `${principal.endpoint.root}/v1`;
  return { gateway, principal, trace, port: Number(new URL(gateway.url).port), path: new URL(base).pathname, base, log, [Symbol.asyncDispose]: () => gateway.close() };
}
