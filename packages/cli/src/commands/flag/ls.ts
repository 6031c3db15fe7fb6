import { FLAG_DEFAULTS, FLAG_NAMES, readSetFlags } from "../../compose/flags.ts";
import { homeDirectory, projectDirectory, projectFiles } from "../../compose/home.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";
import { table } from "../../render/table.ts";

const list: RunCommand = async (invocation, io) => {
  const directory = await projectDirectory(invocation.text("dir"), io.cwd);
  const set = await readSetFlags(projectFiles(homeDirectory(io.env), directory).flags);
  const flags = FLAG_NAMES.map((name) => ({ name, value: set[name] ?? FLAG_DEFAULTS[name], default: FLAG_DEFAULTS[name] }));
  if (invocation.flag("json")) {
    writeJson(io.stdout, flags);
    return 0;
  }
  const word = (state: boolean): string => (state ? "on" : "off");
  io.stdout.write(
    table(
      flags,
      [
        { title: "flag", cell: (flag) => flag.name },
        { title: "value", cell: (flag) => word(flag.value) },
        { title: "default", cell: (flag) => word(flag.default) },
      ],
      io.stdout.columns,
      io.stdout.colours,
    ),
  );
  return 0;
};
export default list;
