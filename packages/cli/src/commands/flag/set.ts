import { BeeuniError, nearNames } from "@beeuni/protocol";
import { FLAG_DEFAULTS, FLAG_NAMES, writeFlag } from "../../compose/flags.ts";
import { homeDirectory, prepareHome, projectDirectory, projectFiles } from "../../compose/home.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";

const VALUES: Readonly<Record<string, boolean | null>> = { on: true, true: true, off: false, false: false, default: null };

const set: RunCommand = async (invocation, io) => {
  const [name = "", text = ""] = invocation.arguments;
  const flag = FLAG_NAMES.find((known) => known === name);
  if (flag === undefined) {
    const near = nearNames(name, FLAG_NAMES);
    throw new BeeuniError("usage", `there is no flag "${name}"`, { hint: near.length > 0 ? `did you mean ${near.join(" or ")}?` : `flags: ${FLAG_NAMES.join(", ")}` });
  }
  const value = VALUES[text];
  if (value === undefined) throw new BeeuniError("usage", `"${text}" is no value of a flag`, { hint: "on, off or default" });
  const home = homeDirectory(io.env);
  await prepareHome(home);
  const directory = await projectDirectory(invocation.text("dir"), io.cwd);
  await writeFlag(projectFiles(home, directory).flags, flag, value);
  const now = value ?? FLAG_DEFAULTS[flag];
  if (invocation.flag("json")) writeJson(io.stdout, { name: flag, value: now, default: FLAG_DEFAULTS[flag] });
  else io.stdout.write(`${flag} is ${now ? "on" : "off"}${value === null ? " (its default)" : ""} for ${directory}; sessions follow at their next start or resume\n`);
  return 0;
};
export default set;
