/**
 * What the gateway hands to the trace while a call is under way. Nothing here parses or copies: chunks are written
 * as they came. A reader derives everything else later.
 */
export interface RequestHead {
  method: string;
  /** Request target with the principal's token replaced by `***`. */
  target: string;
  /** Header pairs as received, in order; values of credential headers are masked by the writer. */
  headers: readonly (readonly [string, string])[];
  protocol: string;
}

export interface Route {
  provider: string;
  /** Upstream URL without credentials. */
  upstream: string;
  /** The model id found in the request's bytes. */
  model: string | null;
}

/** complete: the upstream's message ended as HTTP says · cut: it broke off · aborted: the client went away · refused: answered by the gateway itself, or no answer came. */
export type CallEnd = "complete" | "cut" | "aborted" | "refused";

export interface CallRecorder {
  readonly number: number;
  /** A chunk must not change after it was handed over. Never throws. */
  requestBody(chunk: Uint8Array): void;
  /** The request's body is whole. */
  requestEnd(): void;
  /** Which upstream was asked. Once per attempt: a retry before the first byte calls it again. */
  route(route: Route): void;
  /** A later one (a retry) replaces the response so far. */
  responseHead(status: number, headers: readonly (readonly [string, string])[]): void;
  responseBody(chunk: Uint8Array): void;
  /**
   * Resolves when every frame of this call is written (not synced). Call it before the client sees the end. Rejects with
   * `storage_failed`. Whatever comes behind it, a second end too, is ignored.
   */
  end(reason: CallEnd, error?: string): Promise<void>;
}

/** The trace of one principal. One writer at a time. */
export interface TraceWriter {
  /** Number that the next call gets; calls of a turn are [nextNumber before, nextNumber after). */
  readonly nextNumber: number;
  /** Throws `storage_failed` once writing has failed: a call that can't be recorded should not be made. */
  begin(head: RequestHead): CallRecorder;
  /** Everything recorded so far is on the disk (fdatasync). Rejects with `storage_failed`. */
  flush(): Promise<void>;
  /** Gives calls under way the end `cut`, flushes and lets go of the file. Rejects with `storage_failed`. */
  close(): Promise<void>;
}
