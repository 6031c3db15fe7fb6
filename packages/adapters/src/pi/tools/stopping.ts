import { ABORTED, ToolError } from "./tool.ts";

/**
 * The work's own end; but once the signal is aborted it has `graceMs` left, then the call is over (`ToolError` `aborted`)
 * whether the work listens or not.
 */
export async function until<T>(signal: AbortSignal, graceMs: number, work: Promise<T>): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    const end = (): void => stopped.reject(new ToolError("aborted", ABORTED));
    if (graceMs === 0) end();
    else timer = setTimeout(end, graceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    // Work that was left behind may still fail; nobody waits for it.
    work.catch(() => {});
  }
}
