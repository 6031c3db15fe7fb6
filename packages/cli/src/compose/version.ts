import { readFileSync } from "node:fs";

/** Version of this installation, as `beeuni --version` prints it. */
export function beeuniVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
}
