import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** Waits for a file that a command writes its process id into. */
export async function readPid(path: string, ms: number): Promise<number> {
  for (let waited = 0; waited < ms; waited += 10) {
    const pid = Number(await readFile(path, "utf8").catch(() => ""));
    if (pid > 0) return pid;
    await wait(10);
  }
  throw new Error(`after ${ms} ms the command has not written ${path}`);
}

/** Whether a process of this id still runs. One that is dead and not yet reaped doesn't. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // Where there is no /proc the signal's word counts. The state follows the name, which may hold anything but its last `)`.
  return stat === null ? process.platform !== "linux" : !/\) [ZX] /.test(stat.slice(stat.lastIndexOf(")")));
}
