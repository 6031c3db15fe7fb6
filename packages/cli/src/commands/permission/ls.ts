import { homeDirectory, projectDirectory } from "../../compose/home.ts";
import { waitingSessions } from "../../compose/offline.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";
import { permissionsPage } from "../../render/permissions.ts";

const list: RunCommand = async (invocation, io) => {
  const session = invocation.arguments[0];
  const home = homeDirectory(io.env);
  const where = session === undefined ? { directory: await projectDirectory(invocation.text("dir"), io.cwd) } : { session };
  const requests = (await waitingSessions(home, where)).flatMap(({ permissions }) => permissions);
  if (invocation.flag("json")) writeJson(io.stdout, requests);
  else if (requests.length === 0) io.stderr.write("beeuni: no tool call waits for an answer\n");
  else io.stdout.write(permissionsPage(requests, io.stdout));
  return 0;
};
export default list;
