import { BeeuniError } from "@beeuni/protocol";
import { installToolchain, toolchainStatus } from "@beeuni/harness";
import { homeDirectory, prepareHome } from "../../compose/home.ts";
import { builtInRegistry } from "../../compose/registry.ts";
import type { RunCommand } from "../../main.ts";
import { InstallProgressLine } from "../../render/install-progress.ts";
import { writeJson } from "../../render/json.ts";
import { watchInterrupts } from "../../run/interrupt.ts";

const install: RunCommand = async (invocation, io) => {
  const registry = builtInRegistry();
  const id = invocation.arguments[0];
  if ((id === undefined) !== invocation.flag("all")) {
    throw new BeeuniError("usage", id === undefined ? "which harness?" : "a harness and --all don't go together", { hint: `beeuni harness install ${registry.ids().join("|")}, or --all` });
  }
  const home = homeDirectory(io.env);
  await prepareHome(home);
  const env = io.env as NodeJS.ProcessEnv;
  using interrupts = watchInterrupts();
  const done = [];
  for (const one of id === undefined ? registry.ids() : [id]) {
    const harness = await registry.load(one);
    {
      using line = new InstallProgressLine(io.stderr);
      const { state } = await toolchainStatus(home, harness, env);
      if (state === "missing" || state === "broken") await installToolchain(home, harness, { onProgress: (progress) => line.show(progress), signal: interrupts.signal, env });
    }
    const status = await toolchainStatus(home, harness, env);
    done.push(status);
    if (!invocation.flag("json")) io.stdout.write(status.state === "none" ? `${one} needs nothing installed\n` : `${one} ${status.version} is installed in ${status.directory}\n`);
  }
  if (invocation.flag("json")) writeJson(io.stdout, done);
  return 0;
};
export default install;
