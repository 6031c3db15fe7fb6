import type { Toolchain } from "@beeuni/harness";

/**
 * Pi's SDK. The package ships it twice with the same exports: as single modules and bundled. The bundle is imported: it
 * starts in about half the time.
 */
export const toolchain: Toolchain = {
  version: "1.6.0",
  tested: ["1.6.0"],
  packages: { "@earendil-works/pi-coding-agent": "1.6.0" },
  probe: "node_modules/@earendil-works/pi-coding-agent/dist/bundle/index.js",
  megabytes: 170,
};
