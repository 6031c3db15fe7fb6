import type { Issue } from "@beeuni/protocol";
import type { Provider } from "../types.ts";
import { readBaseUrl } from "./base-url.ts";
import { credentialOf } from "./credential.ts";
import type { KnownProvider } from "./known.ts";
import { readSecret, type Environment } from "./secret.ts";

/** The provider that the variables of `known` describe; undefined when none is set. */
export function providerFromEnvironment(known: KnownProvider, env: Environment, problems: Issue[]): Provider | undefined {
  const problem = (path: string, message: string, severity: Issue["severity"]) => void problems.push({ file: "environment", path, message, severity });
  const key = known.keys.find(({ variable }) => (env[variable] ?? "").trim() !== "");
  const otherBase = known.baseUrlVariable === undefined ? "" : (env[known.baseUrlVariable] ?? "").trim();
  if (key === undefined && otherBase === "") return undefined;
  const secret = key === undefined ? undefined : readSecret({ variable: key.variable }, env);
  if (secret !== undefined && "error" in secret) {
    problem(key!.variable, secret.error, "error");
    return undefined;
  }
  const base = readBaseUrl(otherBase === "" ? known.baseUrl : otherBase, known.protocols, key !== undefined);
  if ("error" in base) {
    problem(known.baseUrlVariable!, base.error, "error");
    return undefined;
  }
  if (base.warning !== undefined) problem(known.baseUrlVariable!, base.warning, "warning");
  const { id, label, protocols, models } = known;
  const credential = secret !== undefined && "value" in secret ? credentialOf(key!.header, secret.value) : undefined;
  return { id, label, baseUrl: base.url, protocols, models, origin: `$${key?.variable ?? known.baseUrlVariable}`, ...(credential === undefined ? {} : { credential }) };
}
