import type { BeeuniError, TurnInfo } from "@beeuni/protocol";

/** Promises of turns' ends, made by whoever asks first. */
export class TurnEnds {
  readonly #ends = new Map<string, PromiseWithResolvers<TurnInfo>>();

  of(turn: string): Promise<TurnInfo> {
    return this.#end(turn).promise;
  }

  resolve(info: TurnInfo): void {
    this.#end(info.id).resolve(info);
    this.#ends.delete(info.id);
  }

  reject(turn: string, reason: unknown): void {
    this.#end(turn).reject(reason);
    this.#ends.delete(turn);
  }

  rejectAll(error: BeeuniError): void {
    for (const end of this.#ends.values()) end.reject(error);
    this.#ends.clear();
  }

  #end(turn: string): PromiseWithResolvers<TurnInfo> {
    const known = this.#ends.get(turn);
    if (known !== undefined) return known;
    const end = Promise.withResolvers<TurnInfo>();
    // Whoever accepted the prompt may not wait for its end.
    end.promise.catch(() => {});
    this.#ends.set(turn, end);
    return end;
  }
}
