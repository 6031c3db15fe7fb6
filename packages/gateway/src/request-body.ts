import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";

export type ReadBody = { type: "whole"; body: Buffer } | { type: "too-large" } | { type: "gone" };

/** Reads a request's entity body. `tee` gets each chunk as it came, also of a body that turns out to be too large. */
export function readBody(request: IncomingMessage, limit: number, tee: (chunk: Buffer) => void): Promise<ReadBody> {
  if (Number(request.headers["content-length"] ?? 0) > limit) {
    request.resume();
    return Promise.resolve({ type: "too-large" });
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (result: ReadBody) => {
      request.off("data", onData);
      // The rest of a body that is too large is read and thrown away: a client that still writes would not see the answer.
      request.resume();
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      tee(chunk);
      bytes += chunk.length;
      if (bytes > limit) settle({ type: "too-large" });
      else chunks.push(chunk);
    };
    request.on("data", onData);
    request.on("end", () => settle({ type: "whole", body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }));
    request.on("close", () => settle({ type: "gone" }));
    request.on("error", () => settle({ type: "gone" }));
  });
}

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: { readonly [coding: string]: Decode } = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  "x-gzip": promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  deflate: promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress),
  zstd: promisify<Buffer, { maxOutputLength: number }, Buffer>(zstdDecompress),
};

export type Decoded = { type: "plain"; bytes: Buffer } | { type: "unknown-coding" } | { type: "damaged" } | { type: "too-large" };

/** The body without its content coding, to look into; what is passed on stays as it came. */
export async function decodeBody(body: Buffer, coding: string | undefined, limit: number): Promise<Decoded> {
  const name = (coding ?? "identity").trim().toLowerCase();
  if (name === "identity" || name === "") return { type: "plain", bytes: body };
  const decode = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (decode === undefined) return { type: "unknown-coding" };
  try {
    return { type: "plain", bytes: await decode(body, { maxOutputLength: limit }) };
  } catch (error) {
    return { type: (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "too-large" : "damaged" };
  }
}
