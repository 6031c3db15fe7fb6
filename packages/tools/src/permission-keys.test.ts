import assert from "node:assert/strict";
import { test } from "node:test";
import { toolPermissionKeys } from "./permission-keys.ts";

test("host tools follow the permission keys of what they do", () => {
  assert.deepEqual({
    web_search: toolPermissionKeys("web_search", {}),
    image_search: toolPermissionKeys("image_search", {}),
    scrape_webpage: toolPermissionKeys("scrape_webpage", {}),
    view: toolPermissionKeys("memory", { command: "view" }),
    create: toolPermissionKeys("memory", { command: "create" }),
    unknown: toolPermissionKeys("memory", {}),
    show: toolPermissionKeys("show", {}),
    own: toolPermissionKeys("lookup_order", {}),
    inherited: toolPermissionKeys("constructor", {}),
  }, {
    web_search: ["web_search", "websearch"], image_search: ["image_search", "websearch"], scrape_webpage: ["scrape_webpage", "webfetch"],
    view: ["memory", "read"], create: ["memory", "edit"], unknown: ["memory", "edit"], show: ["show"], own: ["lookup_order"], inherited: ["constructor"],
  });
});
