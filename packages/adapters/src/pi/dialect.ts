import type { PermissionDialect } from "@beeuni/harness";

/**
 * How permission rules are read on Pi: the longest matching pattern of a key wins, wherever it stands in the file, and
 * every key can ask. Pi itself has no permissions: each call is put to the host before it runs.
 */
export const dialect: PermissionDialect = {
  order: "longest-wins",
  unaskable: [],
  keys: {
    write: ["write", "edit"],
    web_search: ["web_search", "websearch"],
    image_search: ["image_search", "websearch"],
    scrape_webpage: ["scrape_webpage", "webfetch"],
  },
  subject: { bash: "command", question: null, skill: "name" },
};
