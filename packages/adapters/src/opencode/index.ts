import { BeeuniError } from "@beeuni/protocol";
import type { Harness } from "@beeuni/harness";
import { attribute } from "./attribution.ts";
import { compile } from "./compile.ts";
import { dialect } from "./dialect.ts";
import { capabilities } from "./features.ts";
import { BUILTIN_TOOLS } from "./native-permissions.ts";
import { DEFAULT_OPTIONS, type OpenCodeOptions } from "./options.ts";
import { support } from "./support.ts";
import { toolchain } from "./toolchain.ts";

/** OpenCode, driven through its HTTP server: one process a session. */
export function createOpenCode(options: Partial<OpenCodeOptions> = {}): Harness {
  return {
    id: "opencode",
    label: "OpenCode",
    family: "harness",
    toolchain,
    dialect,
    builtinTools: BUILTIN_TOOLS,
    capabilities,
    attribute,
    support: () => support,
    supports: ({ provider, model, protocols }) =>
      protocols.includes("chat-completions")
        ? { supported: true }
        : { supported: false, reason: `OpenCode is driven over chat-completions; ${provider}/${model} is served over ${protocols.join(", ") || "none"}` },
    compile,
    async open(spec, host) {
      if (spec.surface === "native") {
        throw new BeeuniError("feature_not_supported", "OpenCode is driven with the project's tools and agents only, not as its makers ship it", { hint: "open it with the surface `project`" });
      }
      // What drives the server is loaded with the first session, not with the list of harnesses.
      const { OpenCodeSession } = await import("./session.ts");
      return OpenCodeSession.open(spec, host, { ...DEFAULT_OPTIONS, ...options });
    },
  };
}

export const opencode: Harness = createOpenCode();
