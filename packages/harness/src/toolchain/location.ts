import { join, resolve } from "node:path";
import type { ToolchainOwner } from "./types.ts";

/** The folder that holds all toolchains: `$BEEUNI_TOOLCHAINS`, else `<home>/harnesses`. */
export function toolchainsFolder(home: string, env: NodeJS.ProcessEnv = process.env): string {
  const override = env["BEEUNI_TOOLCHAINS"];
  return override === undefined || override === "" ? join(home, "harnesses") : resolve(override);
}

/** `<id>@<version>`, with what a file name can't hold replaced. */
export function toolchainName({ id, toolchain }: ToolchainOwner): string {
  return `${id.replaceAll(":", "-")}@${toolchain.version}`;
}
