/**
 * Ctrl-C and its kin while a turn runs. The first one asks the turn to stop; the second leaves at once. `exitCode` is
 * what the process ends with after a stop: 130 for Ctrl-C, 128 + the signal's number else.
 */
export interface Interrupts {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  readonly exitCode: number;
  [Symbol.dispose](): void;
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export function watchInterrupts(onFirst: () => void, leave: (code: number) => void = (code) => process.exit(code)): Interrupts {
  const stop = new AbortController();
  let exitCode = 130;
  const handlers = (Object.keys(CODES) as (keyof typeof CODES)[]).map((name) => {
    const handler = (): void => {
      if (stop.signal.aborted) return leave(CODES[name]);
      exitCode = CODES[name];
      stop.abort();
      onFirst();
    };
    process.on(name, handler);
    return () => process.off(name, handler);
  });
  return {
    signal: stop.signal,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]: () => handlers.forEach((off) => off()),
  };
}
