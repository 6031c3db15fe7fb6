import { harnessRows } from "../../compose/harnesses.ts";
import { homeDirectory } from "../../compose/home.ts";
import { builtInRegistry } from "../../compose/registry.ts";
import type { RunCommand } from "../../main.ts";
import { harnessTable } from "../../render/harness.ts";
import { writeJson } from "../../render/json.ts";

const list: RunCommand = async (invocation, io) => {
  const rows = await harnessRows(builtInRegistry(), homeDirectory(io.env), io.env);
  if (invocation.flag("json")) writeJson(io.stdout, rows);
  else io.stdout.write(harnessTable(rows, io.stdout));
  return 0;
};
export default list;
