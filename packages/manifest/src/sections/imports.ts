import type { Section } from "../section.ts";

/** Told rather than ignored: what the files would add is missing. */
export const imports: Section = {
  read(_root, document) {
    if (document.has("imports")) document.warning(["imports"], "imports are not read yet — agents and tools of the imported files are missing here.");
  },
};
