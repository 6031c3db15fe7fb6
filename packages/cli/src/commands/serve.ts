import { randomBytes } from "node:crypto";
import { serveDaemon } from "@beeuni/daemon";
import { BeeuniError } from "@beeuni/protocol";
import { homeDirectory, prepareHome, projectDirectory, projectFiles } from "../compose/home.ts";
import { isolationLine } from "../compose/isolation.ts";
import { projectAboveLine } from "../compose/project-above.ts";
import { alreadyServing, announceServer, findServer } from "../compose/server-file.ts";
import { openWorkbench } from "../compose/workbench.ts";
import type { RunCommand } from "../main.ts";
import { writeJson } from "../render/json.ts";
import { watchInterrupts } from "../run/interrupt.ts";
import { modelOption } from "../run/model-option.ts";

const serve: RunCommand = async (invocation, io) => {
  const port = portOf(invocation.text("port"));
  const model = modelOption(invocation.text("model"));
  const home = homeDirectory(io.env);
  await prepareHome(home);
  const directory = await projectDirectory(invocation.text("dir"), io.cwd);
  const other = await findServer(home, directory);
  if (other !== undefined) throw alreadyServing(other);

  using interrupts = watchInterrupts();
  const note = (line: string): void => io.stderr.write(`beeuni: ${line}\n`);
  note(isolationLine(directory));
  const above = await projectAboveLine(directory);
  if (above !== undefined) note(above);
  await using stack = new AsyncDisposableStack();
  const workbench = await openWorkbench({ io, home, directory, harness: undefined, named: model, defaultModel: model, headless: false, note, stop: interrupts.signal });
  stack.defer(() => workbench.close());
  const token = randomBytes(32).toString("base64url");
  const server = await serveDaemon(workbench.daemon, { token, ...(port === undefined ? {} : { port }) });
  stack.defer(() => server.close());
  const record = { url: server.url, pid: process.pid, startedAt: new Date().toISOString(), directory };
  stack.defer(await announceServer(home, record, token));

  const standard = model ?? workbench.models.standard?.model;
  const files = projectFiles(home, directory);
  if (invocation.flag("json")) {
    writeJson(io.stdout, { ...record, tokenFile: files.token, model: standard ?? null });
  } else {
    io.stdout.write(`serving ${directory}\nurl    ${server.url}\ntoken  in ${files.token}\nmodel  ${standard ?? "none found: agents or sessions must name one, e.g. faux/demo"}\n`);
    note("Ctrl-C stops it");
  }
  await new Promise((resolve) => interrupts.signal.addEventListener("abort", resolve, { once: true }));
  note("stopping: turns that run are stopped and kept; Ctrl-C again leaves at once");
  return 0;
};
export default serve;

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new BeeuniError("usage", `"${text}" is no port`, { hint: "--port takes a number up to 65535; leave it out for a free one" });
}
