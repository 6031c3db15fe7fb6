import type { ModelEndpoint, ModelRef } from "@beeuni/protocol";
import type { Gateway, Principal } from "@beeuni/gateway";
import type { TraceWriter } from "@beeuni/trace";

/**
 * What the session may call, and where: one gateway token at a time, for the models that it needs. A further model means a
 * new token, and so a harness that is opened again.
 */
export class ModelAccess {
  readonly #gateway: Gateway;
  readonly #session: string;
  readonly #trace: TraceWriter;
  #models: ModelRef[];
  #principal: Principal | null = null;

  constructor(gateway: Gateway, session: string, trace: TraceWriter, models: readonly ModelRef[]) {
    this.#gateway = gateway;
    this.#session = session;
    this.#trace = trace;
    this.#models = withoutTwins(models);
  }

  covers(model: ModelRef): boolean {
    return this.#models.some((known) => known.provider === model.provider && known.id === model.id);
  }

  /** Where the models are called. The same until `add` or `close`. */
  endpoint(): ModelEndpoint {
    this.#principal ??= this.#gateway.principal({ id: this.#session, models: this.#models, trace: this.#trace });
    return this.#principal.endpoint;
  }

  /** Takes a further model in: the old token stops working and `endpoint` answers a new one. */
  async add(model: ModelRef): Promise<void> {
    this.#models = withoutTwins([model, ...this.#models]);
    await this.close();
  }

  /** The token stops working and its calls are stopped. Resolves when their ends are in the trace. */
  async close(): Promise<void> {
    const principal = this.#principal;
    this.#principal = null;
    await principal?.revoke();
  }
}

/** A request names a model by its id alone: of two providers' models of one id, the first is taken. */
function withoutTwins(models: readonly ModelRef[]): ModelRef[] {
  return models.filter((model, index) => models.findIndex(({ id }) => id === model.id) === index);
}
