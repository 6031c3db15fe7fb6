import { readSession } from "@beeuni/daemon";
import { homeDirectory } from "../../compose/home.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";
import { sessionPage } from "../../render/session.ts";

const show: RunCommand = async (invocation, io) => {
  const { state, seq, epoch } = await readSession(homeDirectory(io.env), invocation.arguments[0]!);
  if (invocation.flag("json")) writeJson(io.stdout, { ...state, seq, epoch });
  else io.stdout.write(sessionPage(state, Date.now(), io.stdout));
  return 0;
};
export default show;
