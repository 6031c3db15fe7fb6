import type { CallEnd, CallRecorder, RequestHead, Route, TraceWriter } from "@beeuni/trace";

export interface MemoryCall {
  head: RequestHead;
  request: Buffer;
  requestWhole: boolean;
  routes: Route[];
  status: number | null;
  responseHeaders: readonly (readonly [string, string])[];
  response: Buffer;
  chunks: number;
  end: CallEnd | "open";
  error: string | null;
}

/** A trace in memory that can be awaited. Its `end` takes a turn of the loop, as a real one's does. */
export class MemoryTrace implements TraceWriter {
  readonly calls: MemoryCall[] = [];
  #waiting: { number: number; resolve: (call: MemoryCall) => void }[] = [];

  get nextNumber(): number {
    return this.calls.length;
  }

  begin(head: RequestHead): CallRecorder {
    const number = this.calls.length;
    const call: MemoryCall = {
      head, request: Buffer.alloc(0), requestWhole: false, routes: [], status: null, responseHeaders: [], response: Buffer.alloc(0), chunks: 0, end: "open", error: null,
    };
    this.calls.push(call);
    const sent: Uint8Array[] = [];
    const received: Uint8Array[] = [];
    const open = () => {
      if (call.end !== "open") throw new Error(`call ${number} was recorded after its end`);
    };
    return {
      number,
      requestBody: (chunk) => { open(); sent.push(chunk); },
      requestEnd: () => { open(); call.requestWhole = true; },
      route: (route) => { open(); call.routes.push(route); },
      responseHead: (status, headers) => { open(); call.status = status; call.responseHeaders = headers; received.length = 0; },
      responseBody: (chunk) => { open(); received.push(chunk); },
      end: async (reason, error) => {
        open();
        // Chunks are kept by reference until here: whoever reuses a buffer is caught by the digests.
        Object.assign(call, { request: Buffer.concat(sent), response: Buffer.concat(received), chunks: received.length, end: reason, error: error ?? null });
        await new Promise((resolve) => setImmediate(resolve));
        for (const waiting of this.#waiting.filter((entry) => entry.number === number)) waiting.resolve(call);
      },
    };
  }

  /** The call of this number, once it has ended. */
  async ended(number: number): Promise<MemoryCall> {
    const call = this.calls[number];
    if (call !== undefined && call.end !== "open") return call;
    return new Promise((resolve) => this.#waiting.push({ number, resolve }));
  }

  async flush(): Promise<void> {}
  async close(): Promise<void> {}
}
