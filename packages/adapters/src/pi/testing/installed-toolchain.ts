import { homedir } from "node:os";
import { join } from "node:path";
import { toolchain } from "../toolchain.ts";

/** Where the tests look for the installed SDK: `$BEEUNI_TOOLCHAINS`, else where `beeuni harness install` puts it. */
export const TOOLCHAIN_DIR = join(process.env["BEEUNI_TOOLCHAINS"] ?? join(process.env["BEEUNI_HOME"] ?? join(homedir(), ".beeuni"), "harnesses"), `pi@${toolchain.version}`);
