import { removeSession } from "@beeuni/daemon";
import { createClient } from "@beeuni/sdk";
import { homeDirectory } from "../../compose/home.ts";
import { locateSession } from "../../compose/offline.ts";
import { findServer } from "../../compose/server-file.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";

const remove: RunCommand = async (invocation, io) => {
  const home = homeDirectory(io.env);
  const { id, directory, holder } = await locateSession(home, invocation.arguments[0]!);
  const server = holder === null ? undefined : await findServer(home, directory);
  if (server !== undefined && holder?.pid === server.pid) await createClient({ url: server.url, token: server.token }).sessions.remove(id);
  else await removeSession(home, id);
  if (invocation.flag("json")) writeJson(io.stdout, { removed: id });
  else io.stdout.write(`removed ${id}\n`);
  return 0;
};
export default remove;
