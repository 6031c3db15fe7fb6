import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionDialect } from "./contract.ts";
import { misspelledNames } from "./misspelled-names.ts";

const dialect: PermissionDialect = { order: "longest-wins", unaskable: [], keys: { write: ["write", "edit"], web_search: ["web_search", "websearch"] }, subject: {} };
const harness = { builtinTools: ["bash", "read", "write", "question"], dialect };
const deny = (permission: string) => ({ permission, pattern: "*", action: "deny" as const });

test("a rule's key that is one slip away from a tool's is named with what was meant, once", () => {
  const permissions = ["bsh", "bsh", "Read", "wirte", "websarch", "prices"].map(deny);
  assert.deepEqual(
    misspelledNames({ permissions, tools: { kind: "all" } }, [harness], ["price"]).map(({ field, name, meant }) => [field, name, meant]),
    [["permission", "bsh", "bash"], ["permission", "Read", "read"], ["permission", "wirte", "write"], ["permission", "websarch", "websearch"], ["permission", "prices", "price"]],
  );
});

test("names of tools and families, and names that may be another harness's, are left alone", () => {
  const permissions = ["bash", "edit", "websearch", "external_directory", "*", "price", "task", "todowrite", "list", "skill", "doom_loop"].map(deny);
  assert.deepEqual(misspelledNames({ permissions, tools: { kind: "only", names: ["bash", "price", "task"] } }, [harness], ["price"]), []);
});

test("a tool list is looked at too; a family's key is no tool there", () => {
  assert.deepEqual(misspelledNames({ permissions: [], tools: { kind: "exclude", names: ["bashh", "price"] } }, [harness], ["price"]), [{ field: "tools", name: "bashh", meant: "bash" }]);
});
