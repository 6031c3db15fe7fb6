import { listSessions } from "@beeuni/daemon";
import { findLocalServers, type LoadedProviders, type Provider } from "@beeuni/gateway";
import type { HarnessRegistry } from "@beeuni/harness";
import { formatIssue } from "@beeuni/protocol";
import { harnessRows } from "../compose/harnesses.ts";
import type { Environment } from "../io.ts";
import { type Check, ok, problem, warning } from "./check.ts";

/** The toolchain of each harness that has an adapter. A missing one is installed on first use. */
export async function toolchainChecks(registry: HarnessRegistry, home: string, env: Environment): Promise<Check[]> {
  const rows = await harnessRows(registry, home, env);
  return rows
    .filter(({ toolchain }) => toolchain !== "no adapter")
    .map(({ id, version, toolchain, directory }) => {
      const what = `${id} ${version}`;
      const fix = `beeuni harness install ${id}`;
      if (toolchain === "missing") return warning(`harness ${id}`, `${what} is not installed; its first use installs it`, fix);
      if (toolchain === "broken") return problem(`harness ${id}`, `${what} in ${directory} is damaged`, fix);
      return ok(`harness ${id}`, toolchain === "none" ? `${what}, nothing to install` : `${what} in ${directory}`);
    });
}

/** Who serves models. Only whether a key is there is looked at, never its value, and no provider is asked. */
export async function providerChecks({ providers, problems }: LoadedProviders, findLocal: () => Promise<Provider[]> = () => findLocalServers()): Promise<Check[]> {
  const configured = providers.map(({ id, origin, credential }) => ok("provider", `${id} (${origin}${credential === undefined ? ", no key" : ", key set"})`));
  const local = (await findLocal()).map(({ id, origin, models }) => ok("provider", `${id} (${origin}, ${models.length} model${models.length === 1 ? "" : "s"})`));
  const wrong = problems.map((issue) =>
    (issue.severity === "error" ? problem : warning)("configuration", formatIssue(issue), issue.file === "environment" ? `correct the variable ${issue.path}` : `correct ${issue.file}${issue.line === undefined ? "" : ` in line ${issue.line}`}`));
  const none = configured.length + local.length === 0 ? [warning("provider", "no key is configured and no model server answers here; only faux/demo works", "export ANTHROPIC_API_KEY=… or OPENAI_API_KEY=…, or start Ollama, LM Studio, llama.cpp or vLLM")] : [];
  return [...configured, ...local, ...none, ...wrong];
}

export async function sessionChecks(home: string): Promise<Check[]> {
  const broken: Check[] = [];
  const readable = await listSessions(home, {
    onUnreadable: ({ id, error }) => broken.push(problem("session", `${id} can't be read: ${error.message}`, `look into it, or delete it: beeuni session rm ${id}`)),
  });
  return [...broken, ...(broken.length === 0 ? [ok("sessions", `${readable.length} in ${home}`)] : [])];
}
