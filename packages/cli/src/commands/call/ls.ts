import { readSessionCalls, resolveSessionId } from "@beeuni/daemon";
import { homeDirectory, projectDirectory } from "../../compose/home.ts";
import { newestSession } from "../../compose/offline.ts";
import type { RunCommand } from "../../main.ts";
import { callTable } from "../../render/call.ts";
import { writeJson } from "../../render/json.ts";

const list: RunCommand = async (invocation, io) => {
  const home = homeDirectory(io.env);
  const [wanted] = invocation.arguments;
  const id = wanted === undefined ? await newestSession(home, await projectDirectory(invocation.text("dir"), io.cwd)) : await resolveSessionId(home, wanted);
  const { calls, problems } = await readSessionCalls(home, id);
  for (const { message } of problems) io.stderr.write(`beeuni: warning: ${message}; calls may be missing\n`);
  if (invocation.flag("json")) writeJson(io.stdout, calls);
  else if (calls.length === 0) io.stderr.write(`beeuni: no model call of ${id} is on record\n`);
  else io.stdout.write(callTable(calls, io.stdout));
  return 0;
};
export default list;
