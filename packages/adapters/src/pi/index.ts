import { BeeuniError } from "@beeuni/protocol";
import type { Harness } from "@beeuni/harness";
import { compile } from "./compile.ts";
import { dialect } from "./dialect.ts";
import { capabilities } from "./features.ts";
import { protocolOf } from "./models.ts";
import { DEFAULT_OPTIONS, type PiOptions } from "./options.ts";
import { support } from "./support.ts";
import { BUILTIN_TOOL_NAMES } from "./tools/index.ts";
import { toolchain } from "./toolchain.ts";

/** Pi, driven through its SDK in this process. */
export function createPi(options: Partial<PiOptions> = {}): Harness {
  return {
    id: "pi",
    label: "Pi",
    family: "harness",
    toolchain,
    dialect,
    builtinTools: BUILTIN_TOOL_NAMES,
    capabilities,
    support: () => support,
    supports: ({ provider, model, protocols }) =>
      protocolOf(protocols) === undefined
        ? { supported: false, reason: `Pi speaks chat-completions, responses and messages; ${provider}/${model} is served over ${protocols.join(", ") || "none"}` }
        : { supported: true },
    compile,
    async open(spec, host) {
      if (spec.surface === "native") {
        throw new BeeuniError("feature_not_supported", "Pi is driven with the project's tools and agents only, not as its makers ship it", { hint: "open it with the surface `project`" });
      }
      // What drives the SDK is loaded with the first session, not with the list of harnesses.
      const { PiSession } = await import("./session.ts");
      return PiSession.open(spec, host, { ...DEFAULT_OPTIONS, ...options });
    },
  };
}

export const pi: Harness = createPi();
