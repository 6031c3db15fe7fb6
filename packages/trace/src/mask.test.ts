import assert from "node:assert/strict";
import { test } from "node:test";
import { maskHeaders } from "./mask.ts";

test("credentials become as many stars, whatever the spelling; the rest and the order stay", () => {
  assert.deepEqual(maskHeaders([
    ["Host", "127.0.0.1:4000"], ["Authorization", "Bearer sk-12345"], ["X-API-Key", "abc"], ["api-key", "abcd"], ["x-goog-api-key", "k"],
    ["Cookie", "a=b; c=d"], ["set-cookie", "sid=1"], ["set-cookie", "t=22"], ["PROXY-authorization", ""], ["x-request-id", "req_1"],
  ]), [
    ["Host", "127.0.0.1:4000"], ["Authorization", "***************"], ["X-API-Key", "***"], ["api-key", "****"], ["x-goog-api-key", "*"],
    ["Cookie", "********"], ["set-cookie", "*****"], ["set-cookie", "****"], ["PROXY-authorization", ""], ["x-request-id", "req_1"],
  ]);
});
