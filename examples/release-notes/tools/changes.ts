import { readFile } from "node:fs/promises";
import { join } from "node:path";

interface Change {
  id: number;
  kind: "added" | "changed" | "fixed";
  title: string;
  visible: boolean;
}

/** Lists the changes that the release notes must speak of. */
export default {
  description: "Lists the changes since the last release. Only those that a user can see, unless all is true.",
  parameters: {
    type: "object",
    properties: { all: { type: "boolean", description: "Also list changes that no user can see." } },
  },
  async execute(args: { all?: boolean }, context: { directory: string }) {
    const changes = JSON.parse(await readFile(join(context.directory, "CHANGES.json"), "utf8")) as Change[];
    return changes.filter((change) => args.all === true || change.visible).map((change) => `${change.kind}: ${change.title} (#${change.id})`).join("\n");
  },
};
