import { readFileSync } from "node:fs";
import { join } from "node:path";

const WIRE = join(import.meta.dirname, "../../../../test/fixtures/wire");

/** A recorded-like body, e.g. `messages/tool-use.sse`. */
export function wireFixture(name: string): Buffer {
  return readFileSync(join(WIRE, name));
}
