import type { Section } from "../section.ts";
import { isTable } from "../shape.ts";

export const defaultAgent: Section = {
  read(root, document, manifest) {
    const value = root["default_agent"];
    const path = ["default_agent"];
    if (value === undefined || value === null) {
      document.error(path, "beeuni_version 2 manifests must set `default_agent` — it must always resolve to a declared agent.");
      return;
    }
    if (typeof value !== "string" || value.trim() === "") {
      document.error(path, "default_agent must be a non-empty string.");
      return;
    }
    const agent = Object.hasOwn(manifest.agents, value) ? manifest.agents[value] : undefined;
    // A block with a mistake of its own is declared all the same.
    if (agent === undefined && !document.declares(["agents", value])) {
      document.error(path, `default_agent "${value}" does not match any declared agent in \`agents\`.`);
    } else if (isTable(root["agents"]) && isTable(root["agents"][value]) && root["agents"][value]["enabled"] === false) {
      document.error(path,
        `default_agent "${value}" is declared with \`enabled: false\` — a disabled agent can never resolve as the default; the runtime will reject this at session start.`);
    } else manifest.defaultAgent = value;
  },
};
