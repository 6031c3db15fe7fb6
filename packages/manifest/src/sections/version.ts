import type { ManifestDocument } from "../document.ts";
import { got } from "../shape.ts";

/** The newest version that this code understands. */
export const MAX_VERSION = 2;

/** Keys that people write instead, from memory or from a fork. */
const WRONG_KEYS = ["version", "kortix_version", "schema_version", "beeuniVersion"];

/**
 * Whether the rest of the file can be read. A missing key does not stop that: the body is read as version 2, so that all
 * problems show at once.
 */
export function readVersion(root: { readonly [key: string]: unknown }, document: ManifestDocument): boolean {
  const version = root["beeuni_version"];
  if (version === undefined) {
    const wrong = WRONG_KEYS.find((key) => key in root);
    const instead = wrong === undefined ? "" : ` in place of \`${wrong}\``;
    document.error(["beeuni_version"], `beeuni_version is required — add \`beeuni_version: 2\` at the top${instead}.`);
    return true;
  }
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1) {
    document.error(["beeuni_version"], `beeuni_version must be a positive integer (got ${got(version)}).`);
    return false;
  }
  if (version > MAX_VERSION) {
    document.error(["beeuni_version"], `Unsupported schema version ${version}. This tool understands up to v${MAX_VERSION}; upgrade the CLI or pin the manifest.`);
    return false;
  }
  if (version < MAX_VERSION) {
    document.error(["beeuni_version"], `beeuni_version ${version} is not read yet — write the manifest as \`beeuni_version: 2\`.`);
    return false;
  }
  return true;
}
