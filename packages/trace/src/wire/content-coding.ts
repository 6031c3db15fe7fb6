import { constants, brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** Larger than any model exchange; guards the reader against a body that unpacks without end. */
const MAX_DECODED_BYTES = 512 * 1024 * 1024;

export interface Decoded {
  /** As much as could be decoded: a body that breaks off gives what is whole. */
  bytes: Uint8Array;
  /** Why it is not everything; null when it is, as far as the coding can tell. */
  problem: string | null;
}

/** Undoes the codings of a Content-Encoding header, last first. For reading only: the trace keeps the bytes as they came. */
export function decodeContent(body: Uint8Array, encoding: string | null): Decoded {
  let bytes = body;
  for (const coding of codings(encoding).reverse()) {
    try {
      bytes = decode(bytes, coding);
    } catch (error) {
      return { bytes: new Uint8Array(0), problem: `the body can't be decoded as ${coding}: ${(error as Error).message}` };
    }
  }
  return { bytes, problem: null };
}

function codings(encoding: string | null): string[] {
  return (encoding ?? "").toLowerCase().split(",").map((coding) => coding.trim()).filter((coding) => coding !== "" && coding !== "identity");
}

function decode(bytes: Uint8Array, coding: string): Uint8Array {
  const zlib = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_DECODED_BYTES };
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return gunzipSync(bytes, zlib);
    case "deflate":
      // The name means zlib's format; some servers send the bare stream. Zlib's first byte has the low bits 8.
      return (bytes[0] ?? 8) % 16 === 8 ? inflateSync(bytes, zlib) : inflateRawSync(bytes, zlib);
    case "br":
      return brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength: MAX_DECODED_BYTES });
    case "zstd":
      return zstdDecompressSync(bytes, { finishFlush: constants.ZSTD_e_flush, maxOutputLength: MAX_DECODED_BYTES });
    default:
      throw new Error("unknown content coding");
  }
}
