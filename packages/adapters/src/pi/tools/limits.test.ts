import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { cutBytes, headOf, tailOf } from "./limits.ts";

describe("bounded texts", () => {
  test("the head and the tail are whole lines", () => {
    assert.deepEqual(headOf("a\nb\nc\n", 2), { text: "a\nb\n", lines: 2, bytes: 4, truncated: true });
    assert.deepEqual(tailOf("a\nb\nc\n", 2), { text: "b\nc\n", lines: 2, bytes: 4, truncated: true });
    assert.deepEqual(tailOf("a\nb\nc", 2), { text: "b\nc", lines: 2, bytes: 3, truncated: true });
    assert.deepEqual(headOf("a\nb", 2), { text: "a\nb", lines: 2, bytes: 3, truncated: false });
  });

  test("a line that is too long alone is cut between characters", () => {
    assert.deepEqual(headOf("ää\nb", 10, 3), { text: "ä", lines: 1, bytes: 2, truncated: true });
    assert.deepEqual(tailOf("b\nää", 10, 3), { text: "ä", lines: 1, bytes: 2, truncated: true });
    assert.equal(cutBytes("a😀b", 4), "a");
  });

  test("whatever the text: within the limits, a real beginning or end, and whole when it fits", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\n", "ä", "😀", "x\n"), maxLength: 60 });
    fc.assert(fc.property(text, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 4, max: 40 }), (whole, lines, bytes) => {
      for (const [bounded, isPart] of [[headOf(whole, lines, bytes), whole.startsWith.bind(whole)], [tailOf(whole, lines, bytes), whole.endsWith.bind(whole)]] as const) {
        assert.ok(isPart(bounded.text));
        assert.ok(Buffer.byteLength(bounded.text) <= bytes);
        assert.ok(bounded.text.replace(/\n$/, "").split("\n").length <= lines);
        assert.equal(bounded.truncated, bounded.text !== whole);
      }
    }));
  });
});
