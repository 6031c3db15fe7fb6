import { BeeuniError, nearNames } from "@beeuni/protocol/errors";
import { completionScript, SHELLS } from "../completion.ts";
import type { RunCommand } from "../main.ts";

const completion: RunCommand = async (invocation, io) => {
  const wanted = invocation.arguments[0]!;
  const shell = SHELLS.find((name) => name === wanted);
  if (shell === undefined) {
    throw new BeeuniError("usage", `no completion for the shell "${wanted}"`, { hint: `one of: ${SHELLS.join(", ")}${nearNames(wanted, SHELLS).length > 0 ? ` (did you mean ${nearNames(wanted, SHELLS)[0]}?)` : ""}` });
  }
  io.stdout.write(completionScript(shell));
  return 0;
};
export default completion;
