import { fork } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readMessages, type RawMessage } from "./http-bytes.ts";

export interface TcpRecorder extends AsyncDisposable {
  readonly port: number;
  /** Whole and broken messages of all connections, in the order in which the connections were opened. */
  requests(): RawMessage[];
  responses(): RawMessage[];
}

/** A recorder outside of this process, between whoever connects to its port and `targetPort`. */
export async function startTcpRecorder(targetPort: number): Promise<TcpRecorder> {
  const folder = mkdtempSync(join(tmpdir(), "tcp-recorder-"));
  const child = fork(new URL("tcp-recorder-process.ts", import.meta.url), [String(targetPort), folder], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout!.once("data", (line: Buffer) => resolve(Number(line.toString())));
    child.once("exit", (code) => reject(new Error(`the recorder ended with ${code}`)));
  });
  const read = (suffix: string) => readdirSync(folder).filter((name) => name.endsWith(suffix)).sort().flatMap((name) => readMessages(readFileSync(join(folder, name))));
  return {
    port,
    requests: () => read(".request"),
    responses: () => read(".response"),
    [Symbol.asyncDispose]: async () => {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.disconnect();
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}
