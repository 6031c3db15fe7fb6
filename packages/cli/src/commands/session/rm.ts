import { removeSession } from "@beeuni/daemon";
import { homeDirectory } from "../../compose/home.ts";
import { locateSession } from "../../compose/offline.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";

const remove: RunCommand = async (invocation, io) => {
  const home = homeDirectory(io.env);
  const { id, client } = await locateSession(home, invocation.arguments[0]!);
  if (client === undefined) await removeSession(home, id);
  else await client.sessions.remove(id);
  if (invocation.flag("json")) writeJson(io.stdout, { removed: id });
  else io.stdout.write(`removed ${id}\n`);
  return 0;
};
export default remove;
