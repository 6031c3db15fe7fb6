import { mkdtemp, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A project folder for one test, removed at the end of its scope. */
export async function projectWith(files: { [path: string]: string }): Promise<{ directory: string; write(path: string, text: string): Promise<void> } & AsyncDisposable> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "beeuni-tools-")));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  return { directory, write, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}

/** A module whose `execute` has this body. */
export function moduleReturning(body: string, head = ""): string {
  return `${head}\nexport default { description: "A tool.", parameters: { type: "object", properties: {} }, async execute(args, context) { ${body} } };\n`;
}
