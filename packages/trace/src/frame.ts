import { crc32 } from "node:zlib";

/**
 * The frame of a trace segment. Little-endian, 20 bytes, then the payload:
 *
 *      0  u32  CRC-32 of bytes 4 … end of payload
 *      4  u32  payload length
 *      8  u32  call number
 *     12  u48  microseconds since the call's request arrived (monotonic clock)
 *     18  u8   kind
 *     19  u8   0
 *
 * Twenty zero bytes are not a frame: the CRC-32 of sixteen zeros is not zero.
 */
export const FRAME_HEADER_BYTES = 20;

/** Longest payload of one frame; a longer chunk becomes several frames. Anything above is damage, not a length. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;

export const FRAME_KIND = {
  /** JSON `RequestHeadRecord`. */
  requestHead: 1,
  /** Entity bytes as they arrived: no transfer framing, content coding untouched. */
  requestChunk: 2,
  /** Empty: the request's body is whole. */
  requestEnd: 3,
  /** JSON `Route`. One per attempt. */
  route: 4,
  /** JSON `ResponseHeadRecord`. A later one replaces what came before it. */
  responseHead: 5,
  responseChunk: 6,
  /** JSON `EndRecord`. Nothing of this call follows. */
  end: 7,
} as const;
export type FrameKind = (typeof FRAME_KIND)[keyof typeof FRAME_KIND];

export interface Frame {
  /** A kind of a later version is kept as its number; readers skip it. */
  kind: number;
  call: number;
  /** Microseconds since the call's request arrived. */
  offset: number;
  payload: Uint8Array;
}

/** The bytes to write: header and payload, not joined, so that a body chunk is never copied. */
export function encodeFrame(kind: FrameKind, call: number, offset: number, payload: Uint8Array): [Buffer, Uint8Array] {
  const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
  header.writeUInt32LE(payload.byteLength, 4);
  header.writeUInt32LE(call, 8);
  header.writeUIntLE(offset, 12, 6);
  header.writeUInt8(kind, 18);
  header.writeUInt8(0, 19);
  header.writeUInt32LE(crc32(payload, crc32(header.subarray(4))), 0);
  return [header, payload];
}

/** `short`: the bytes end inside the frame; `need` is its whole length as far as it is known. `bad`: these bytes were never written so. */
export type DecodedFrame = { type: "frame"; frame: Frame; bytes: number } | { type: "short"; need: number } | { type: "bad"; why: string };

/** Reads the frame that begins at `at`. The payload is a view of `bytes`. */
export function decodeFrame(bytes: Buffer, at: number): DecodedFrame {
  const available = bytes.length - at;
  if (available < FRAME_HEADER_BYTES) return { type: "short", need: FRAME_HEADER_BYTES };
  const length = bytes.readUInt32LE(at + 4);
  if (length > MAX_PAYLOAD_BYTES) return { type: "bad", why: `payload length ${length} is over the limit` };
  const whole = FRAME_HEADER_BYTES + length;
  if (available < whole) return { type: "short", need: whole };
  const expected = bytes.readUInt32LE(at);
  const actual = crc32(bytes.subarray(at + 4, at + whole));
  if (expected !== actual) return { type: "bad", why: "checksum does not match" };
  const frame: Frame = {
    kind: bytes.readUInt8(at + 18),
    call: bytes.readUInt32LE(at + 8),
    offset: bytes.readUIntLE(at + 12, 6),
    payload: bytes.subarray(at + FRAME_HEADER_BYTES, at + whole),
  };
  return { type: "frame", frame, bytes: whole };
}
