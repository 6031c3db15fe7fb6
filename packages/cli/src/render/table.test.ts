import assert from "node:assert/strict";
import { test } from "node:test";
import picocolors from "picocolors";
import { type Column, fields, table } from "./table.ts";
import { width } from "./width.ts";

const plain = picocolors.createColors(false);
interface Row { id: string; title: string; age: string; harness: string }
const rows: Row[] = [
  { id: "ses_0199f3a1b2c3AAAAAAAAAAAAAA", title: "What is in this folder? And in the one below it?", age: "4m ago", harness: "pi" },
  { id: "ses_0199f3a1b2c4BBBBBBBBBBBBBB", title: "日本語の\nタイトル", age: "now", harness: "opencode" },
];
const columns: Column<Row>[] = [
  { title: "id", cell: (row) => row.id, short: (row) => row.id.slice(0, 16) },
  { title: "harness", cell: (row) => row.harness, drop: 2 },
  { title: "age", cell: (row) => row.age, align: "right", drop: 1 },
  { title: "title", cell: (row) => row.title, shrink: 10 },
];

test("without a width nothing is cut, and a row is a line", () => {
  assert.equal(
    table(rows, columns, Infinity, plain),
    "id                              harness      age  title\n" +
      "ses_0199f3a1b2c3AAAAAAAAAAAAAA  pi        4m ago  What is in this folder? And in the one below it?\n" +
      "ses_0199f3a1b2c4BBBBBBBBBBBBBB  opencode     now  日本語の タイトル\n",
  );
});

test("80 columns: short ids and a cut title", () => {
  assert.equal(
    table(rows, columns, 80, plain),
    "id                harness      age  title\n" +
      "ses_0199f3a1b2c3  pi        4m ago  What is in this folder? And in the one belo…\n" +
      "ses_0199f3a1b2c4  opencode     now  日本語の タイトル\n",
  );
});

test("40 columns: the least needed columns go", () => {
  assert.equal(
    table(rows, columns, 40, plain),
    "id                   age  title\n" + "ses_0199f3a1b2c3  4m ago  What is in th…\n" + "ses_0199f3a1b2c4     now  日本語の タイ…\n",
  );
  for (const line of table(rows, columns, 40, plain).split("\n")) assert.ok(width(line) <= 40, line);
});

test("fields stand under each other", () => {
  assert.equal(fields([["id", "x"], ["harness", "pi"]], plain), "id       x\nharness  pi\n");
});
