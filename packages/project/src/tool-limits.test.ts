import { test } from "node:test";
import fc from "fast-check";
import type { ToolAccess } from "@beeuni/protocol";
import { intersectAccess } from "./tool-limits.ts";

const names = ["a", "b", "c"];
const list = fc.subarray(names, { minLength: 1 });
const access: fc.Arbitrary<ToolAccess> = fc.oneof(
  fc.constant<ToolAccess>({ kind: "all" }), fc.constant<ToolAccess>({ kind: "none" }),
  list.map((some): ToolAccess => ({ kind: "only", names: some })), list.map((some): ToolAccess => ({ kind: "exclude", names: some })));

/** What an access means, written out. */
function allows(of: ToolAccess, name: string): boolean {
  if (of.kind === "all" || of.kind === "none") return of.kind === "all";
  return of.names.includes(name) === (of.kind === "only");
}

test("[M-088] the intersection allows exactly what both allow", () => {
  fc.assert(fc.property(access, access, fc.constantFrom(...names, "d"), (a, b, name) => allows(intersectAccess(a, b), name) === (allows(a, name) && allows(b, name))));
});
