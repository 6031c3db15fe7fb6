import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIssue } from "@beeuni/protocol";
import { toolIssue } from "./tool-issues.ts";

test("a tool's issue names its file once, with the line where there is one", () => {
  const lines = (error: string): string => formatIssue(toolIssue({ name: "price", path: "tools/price.ts", error }));
  assert.deepEqual(
    ["tools/price.ts: ParseError: Unexpected token tools/price.ts:3:0", "tools/price.ts: ParseError: Unexpected token tools/part.ts:3:0", "`description` must be a non-empty string"].map(lines),
    [
      "tools/price.ts:3:1 tools.price: ParseError: Unexpected token",
      "tools/price.ts tools.price: ParseError: Unexpected token tools/part.ts:3:0",
      "tools/price.ts tools.price: `description` must be a non-empty string",
    ],
  );
});
