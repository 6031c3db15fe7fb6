const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Exit code of a command that a signal stopped. */
export const INTERRUPTED = 130;

/**
 * Ctrl-C and its kin. The first one aborts the signal, so that the work can stop and keep what it has; the second
 * leaves at once.
 */
export function watchInterrupts(leave: () => void = () => process.exit(INTERRUPTED)): { readonly signal: AbortSignal; [Symbol.dispose](): void } {
  const stop = new AbortController();
  const handler = (): void => (stop.signal.aborted ? leave() : stop.abort());
  for (const name of SIGNALS) process.on(name, handler);
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) process.off(name, handler);
    },
  };
}
