import { BeeuniError } from "@beeuni/protocol";
import { createClient } from "@beeuni/sdk";
import { homeDirectory } from "../../compose/home.ts";
import { locateSession } from "../../compose/offline.ts";
import { findServer } from "../../compose/server-file.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";

const abort: RunCommand = async (invocation, io) => {
  const home = homeDirectory(io.env);
  const { id, directory, holder } = await locateSession(home, invocation.arguments[0]!);
  const server = await findServer(home, directory);
  if (holder !== null && holder.pid !== server?.pid) {
    throw new BeeuniError("session_locked", `${id} is open in process ${holder.pid}, which is no server`, { hint: `stop it there with Ctrl-C, or: kill -INT ${holder.pid}` });
  }
  const aborted = server !== undefined && (await createClient({ url: server.url, token: server.token }).sessions.abort(id));
  if (invocation.flag("json")) writeJson(io.stdout, { aborted });
  else io.stdout.write(aborted ? `stopping ${id}\n` : `nothing runs in ${id}\n`);
  return 0;
};
export default abort;
