import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeFrame, encodeFrame, FRAME_HEADER_BYTES, FRAME_KIND } from "./frame.ts";

const anyFrame = fc.record({
  kind: fc.constantFrom(...Object.values(FRAME_KIND)),
  call: fc.integer({ min: 0, max: 0xffffffff }),
  offset: fc.integer({ min: 0, max: 2 ** 47 }),
  payload: fc.uint8Array({ maxLength: 300 }),
}, { noNullPrototype: true });

test("a frame reads back as it was written, wherever it stands", () => {
  fc.assert(fc.property(anyFrame, fc.integer({ min: 0, max: 40 }), (frame, before) => {
    const encoded = Buffer.concat([Buffer.alloc(before, 7), ...encodeFrame(frame.kind, frame.call, frame.offset, frame.payload)]);
    const decoded = decodeFrame(encoded, before);
    assert.equal(decoded.type, "frame");
    assert.deepEqual(decoded.type === "frame" && { ...decoded.frame, payload: Uint8Array.from(decoded.frame.payload) }, frame);
    assert.equal(decoded.type === "frame" && decoded.bytes, encoded.length - before);
  }));
});

test("no single changed byte goes unseen", () => {
  const encoded = Buffer.concat(encodeFrame(FRAME_KIND.responseChunk, 3, 1500, Buffer.from("data: {}\n\n")));
  for (let at = 0; at < encoded.length; at++) {
    const changed = Buffer.from(encoded);
    changed[at]! ^= 0x20;
    assert.notEqual(decodeFrame(changed, 0).type, "frame", `byte ${at}`);
  }
});

test("a frame that breaks off is short, zeros are no frame", () => {
  const encoded = Buffer.concat(encodeFrame(FRAME_KIND.requestEnd, 0, 0, Buffer.from("x")));
  for (let length = 0; length < encoded.length; length++) assert.equal(decodeFrame(encoded.subarray(0, length), 0).type, "short");
  assert.deepEqual(decodeFrame(Buffer.alloc(FRAME_HEADER_BYTES), 0), { type: "bad", why: "checksum does not match" });
});
