import type { Section } from "../section.ts";
import { got } from "../shape.ts";

export const runtime: Section = {
  read(root, document, manifest, { runtimes }) {
    const value = root["runtime"];
    if (value === undefined) return;
    if (typeof value === "string" && runtimes.includes(value)) manifest.runtime = value;
    else document.error(["runtime"], `runtime must be one of: ${runtimes.join(", ")} (got ${got(value)}).`);
  },
};
