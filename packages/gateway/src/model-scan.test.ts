import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findModel } from "./model-scan.ts";

/** What JSON.parse says: the definition that the scanner is held to. */
function parsedModel(text: string): string | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const model = (value as { model?: unknown }).model;
  return typeof model === "string" ? model : undefined;
}

const scan = (text: string) => findModel(Buffer.from(text));

test("the model is found wherever it stands and however it is written", () => {
  const cases: [string, string | undefined][] = [
    ['{"model":"gpt-5"}', "gpt-5"],
    ['\n\t {\r\n "model" :\t"gpt-5" , "x":1}\n', "gpt-5"],
    ['{"messages":[{"content":"{\\"model\\":\\"no\\"}"}],"model":"last"}', "last"],
    ['{"model":"first","model":"second"}', "second"],
    ['{"model":"first","\\u006dode\\u006C":"second"}', "second"],
    ['{"model":"first","model":5}', undefined],
    ['{"a":{"model":"nested"},"b":[{"model":"nested"}],"c":"model"}', undefined],
    ['{"a":"model","model":"model"}', "model"],
    ['{"tools":[{"model":1}],"model":"größer/模型-\\ud83d\\ude00"}', "größer/模型-😀"],
    ['{"model":"a\\"b\\\\c"}', 'a"b\\c'],
    ['{"model":""}', ""],
    ['{"models":"x","mode":"y","Model":"z"}', undefined],
    ['{"k\\\\":"\\\\\\\\","model":"after backslashes"}', "after backslashes"],
    ['["model","x"]', undefined],
    ['"model"', undefined],
    ["{}", undefined],
  ];
  for (const [text, expected] of cases) {
    assert.equal(parsedModel(text), expected, `the case itself: ${text}`);
    assert.equal(scan(text), expected, text);
  }
});

test("a text that is not JSON gives an answer or none, never an exception", () => {
  for (const text of ["", "{", '{"model"', '{"model":', '{"model":"x', '{"model":"\\', '{"model" "x"}', '{"model":"\\u00"}', "nonsense", "\u0000"]) {
    assert.doesNotThrow(() => scan(text), text);
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    findModel(bytes);
    findModel(Buffer.concat([Buffer.from('{"model":"a",'), bytes]));
  }));
});

const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("model", "mode", "models", "", "\\", '"', "müdel") },
  fc.string({ unit: "binary", maxLength: 8 }),
);
const scalar = fc.oneof(
  fc.constantFrom("model", '"model"', '{"model":"x"}', "\\u006dodel", 'quote " and \\', "多字节😀".repeat(20)),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

/** A JSON text with members repeated, strings escaped at will and space between tokens: not only what JSON.stringify writes. */
const spelled = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 7 }).map((dice) => {
    let out = '"';
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const plain = JSON.stringify(text[at]!).slice(1, -1);
      out += dice[at % dice.length] === 0 ? `\\u${unit.toString(16).padStart(4, "0")}` : dice[at % dice.length] === 1 ? `\\u${unit.toString(16).padStart(4, "0").toUpperCase()}` : plain;
    }
    return `${out}"`;
  });
const space = fc.constantFrom("", " ", "\n\t", "\r\n  ");
const text: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string; array: string; leaf: string }>((tie) => ({
  leaf: scalar.chain((value) => (typeof value === "string" ? spelled(value) : fc.constant(JSON.stringify(value)))),
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("object"), tie("array")),
  array: fc.tuple(fc.array(tie("value"), { maxLength: 4 }), space).map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
  object: fc.tuple(fc.array(fc.tuple(name.chain(spelled), tie("value")), { maxLength: 6 }), space)
    .map(([members, gap]) => `{${gap}${members.map(([key, value]) => `${key}${gap}:${gap}${value}`).join(`,${gap}`)}${gap}}`),
})).object;

test("for every JSON text the answer is the one of JSON.parse", () => {
  fc.assert(fc.property(text, (json) => {
    assert.equal(scan(json), parsedModel(json));
  }), { numRuns: 2000 });
});

test("a long body costs one pass at most, also when its names and escapes are many", () => {
  const prose = `${"Lorem ipsum ".repeat(20)}\\"quoted\\" \\u0061 \\n`.repeat(20_000);
  const body = Buffer.from(`{"messages":[{"role":"user","content":"${prose}"}],"tools":[${'{"model":"no"},'.repeat(20_000)}{}],"model":"last"}`);
  const started = process.cpuUsage();
  assert.equal(findModel(body), "last");
  const used = process.cpuUsage(started);
  // About 15 ms here for 6 MB; a search that starts anew at each hit would take minutes.
  assert.ok((used.user + used.system) / 1000 < 2_000, `${(used.user + used.system) / 1000} ms`);
});
