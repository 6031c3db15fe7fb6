import { harnessDetails } from "../../compose/harnesses.ts";
import { homeDirectory } from "../../compose/home.ts";
import { builtInRegistry } from "../../compose/registry.ts";
import type { RunCommand } from "../../main.ts";
import { harnessPage } from "../../render/harness.ts";
import { writeJson } from "../../render/json.ts";

const show: RunCommand = async (invocation, io) => {
  const details = await harnessDetails(builtInRegistry(), invocation.arguments[0]!, homeDirectory(io.env), io.env);
  if (invocation.flag("json")) writeJson(io.stdout, details);
  else io.stdout.write(harnessPage(details, io.stdout));
  return 0;
};
export default show;
