import { homeDirectory, projectDirectory } from "../../compose/home.ts";
import { requireServer } from "../../compose/offline.ts";
import { oneOf } from "../../compose/prefix.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";

const reject: RunCommand = async (invocation, io) => {
  const { client } = await requireServer(homeDirectory(io.env), await projectDirectory(invocation.text("dir"), io.cwd));
  const { id } = oneOf(await client.questions.list(), invocation.arguments[0]!, "question");
  await client.questions.reject(id);
  if (invocation.flag("json")) writeJson(io.stdout, { id, rejected: true });
  else io.stdout.write(`rejected ${id}\n`);
  return 0;
};
export default reject;
