import { BeeuniError, type QuestionItem } from "@beeuni/protocol";
import { homeDirectory, projectDirectory } from "../../compose/home.ts";
import { requireServer } from "../../compose/offline.ts";
import { oneOf } from "../../compose/prefix.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";
import { counted } from "../../render/numbers.ts";

const reply: RunCommand = async (invocation, io) => {
  const given = invocation.list("answer");
  const { client } = await requireServer(homeDirectory(io.env), await projectDirectory(invocation.text("dir"), io.cwd));
  const { id, questions } = oneOf(await client.questions.list(), invocation.arguments[0]!, "question");
  if (given.length !== questions.length) {
    throw new BeeuniError("usage", `${id} asks ${counted(questions.length, "question")}, and --answer stands ${counted(given.length, "time")}`, {
      hint: `beeuni question reply ${id} ${questions.map(() => '--answer "…"').join(" ")}`,
    });
  }
  const answers = questions.map((question, index) => chosen(question, given[index]!));
  await client.questions.reply(id, answers);
  if (invocation.flag("json")) writeJson(io.stdout, { id, answers });
  else io.stdout.write(`answered ${id}\n`);
  return 0;
};
export default reply;

/** Where several may be chosen they are separated by commas, unless the whole text is a label. */
function chosen({ multiple, options }: QuestionItem, text: string): string[] {
  if (multiple !== true || options.some(({ label }) => label === text)) return [text];
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}
