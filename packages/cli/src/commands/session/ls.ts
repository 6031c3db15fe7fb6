import { listSessions } from "@beeuni/daemon";
import { homeDirectory, projectDirectory } from "../../compose/home.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";
import { sessionTable } from "../../render/session.ts";

const list: RunCommand = async (invocation, io) => {
  const home = homeDirectory(io.env);
  const all = invocation.flag("all");
  const directory = all ? undefined : await projectDirectory(invocation.text("dir"), io.cwd);
  const entries = await listSessions(home, {
    ...(directory === undefined ? {} : { directory }),
    onUnreadable: ({ id, error }) => io.stderr.write(`beeuni: warning: ${id} can't be read: ${error.message}\n`),
  });
  if (invocation.flag("json")) writeJson(io.stdout, entries);
  else if (entries.length === 0) io.stderr.write(`beeuni: ${directory ?? home} has no sessions yet; start one: beeuni run "…"\n`);
  else io.stdout.write(sessionTable(entries, Date.now(), io.stdout, { folders: all }));
  return 0;
};
export default list;
