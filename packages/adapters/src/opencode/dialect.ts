import type { PermissionDialect } from "@beeuni/harness";

/**
 * How permission rules are read on OpenCode: of all rules that match, the last one in the file wins, and a key may be a
 * glob itself. Beeuni's web tools can't ask here: an `ask` denies them.
 */
export const dialect: PermissionDialect = {
  order: "last-wins",
  unaskable: ["web_search", "image_search", "scrape_webpage"],
  keys: {
    write: ["write", "edit"],
    web_search: ["web_search", "websearch"],
    image_search: ["image_search", "websearch"],
    scrape_webpage: ["scrape_webpage", "webfetch"],
  },
  subject: {
    bash: "command", read: "filePath", write: "filePath", edit: "filePath", skill: "name", task: "subagent_type", webfetch: "url",
    question: null, todowrite: null,
  },
};
