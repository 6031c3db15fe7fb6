import { spawn } from "node:child_process";
import { ENTRY } from "./cli.ts";
import type { Place } from "./place.ts";

/** Runs `beeuni` on a terminal of this many columns (util-linux's `script` makes one); answers what the terminal got. */
export async function onTerminal(place: Place, words: readonly string[], columns: number, env: { readonly [name: string]: string } = {}): Promise<string> {
  const quoted = [process.execPath, ENTRY, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns}; ${quoted}`, "/dev/null"], { cwd: place.project, env: place.environment({ TERM: "xterm", ...env }), stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString().replaceAll("\r\n", "\n");
}
