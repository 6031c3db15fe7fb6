import { loadProviders } from "@beeuni/gateway";
import { homeDirectory, projectDirectory } from "../compose/home.ts";
import { builtInRegistry } from "../compose/registry.ts";
import { providerChecks, sessionChecks, toolchainChecks } from "../doctor/installation.ts";
import { diskCheck, gitCheck, homeCheck, isolationCheck, nodeCheck } from "../doctor/machine.ts";
import { projectChecks } from "../doctor/project.ts";
import type { RunCommand } from "../main.ts";
import { checksPage } from "../render/checks.ts";
import { writeJson } from "../render/json.ts";

const doctor: RunCommand = async (invocation, io) => {
  const home = homeDirectory(io.env);
  const directory = await projectDirectory(invocation.text("dir"), io.cwd);
  const registry = builtInRegistry();
  const checks = (
    await Promise.all([
      nodeCheck(), gitCheck(), homeCheck(home), diskCheck(home), toolchainChecks(registry, home, io.env), providerChecks(loadProviders({ home, env: io.env })),
      sessionChecks(home), projectChecks(registry, home, directory, io.env), isolationCheck(directory),
    ])
  ).flat();
  if (invocation.flag("json")) writeJson(io.stdout, checks);
  else io.stdout.write(checksPage(checks, io.stdout));
  return checks.some(({ status }) => status === "problem") ? 1 : 0;
};
export default doctor;
