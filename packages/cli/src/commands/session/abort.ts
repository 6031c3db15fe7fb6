import { BeeuniError } from "@beeuni/protocol";
import { homeDirectory } from "../../compose/home.ts";
import { locateSession } from "../../compose/offline.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";

const abort: RunCommand = async (invocation, io) => {
  const { id, holder, client } = await locateSession(homeDirectory(io.env), invocation.arguments[0]!);
  if (holder !== null && client === undefined) {
    throw new BeeuniError("session_locked", `${id} is open in process ${holder.pid}, which is no server`, { hint: `stop it there with Ctrl-C, or: kill -INT ${holder.pid}` });
  }
  const aborted = client !== undefined && (await client.sessions.abort(id));
  if (invocation.flag("json")) writeJson(io.stdout, { aborted });
  else io.stdout.write(aborted ? `stopping ${id}\n` : `nothing runs in ${id}\n`);
  return 0;
};
export default abort;
