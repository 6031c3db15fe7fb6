import { readSession } from "@beeuni/daemon";
import { homeDirectory } from "../../compose/home.ts";
import type { RunCommand } from "../../main.ts";
import { conversation } from "../../render/conversation.ts";
import { writeJson } from "../../render/json.ts";

const messages: RunCommand = async (invocation, io) => {
  const { state } = await readSession(homeDirectory(io.env), invocation.arguments[0]!);
  if (invocation.flag("json")) writeJson(io.stdout, state.messages);
  else io.stdout.write(conversation(state, io.stdout));
  return 0;
};
export default messages;
