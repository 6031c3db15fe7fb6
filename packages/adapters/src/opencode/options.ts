/** What can be set of this adapter. The defaults are for people; tests shorten the waits. */
export interface OpenCodeOptions {
  /** How long one start may take until the server answers. A cold start takes 3 to 15 s of CPU. Milliseconds. */
  startDeadlineMs: number;
  /** How often a start is tried: a port can be taken in the moment that it is handed over. */
  startTries: number;
  /** How long the plugin may take to report once OpenCode answers. Milliseconds. */
  helloMs: number;
  /** A stop that OpenCode does not follow ends OpenCode after so long. Milliseconds. */
  abortMs: number;
  /** How often a failed model call may be tried again. OpenCode itself would go on for a minute. */
  retries: number;
  /** The event stream counts as broken after so long without a heartbeat; those come every 10 s. Milliseconds. */
  silenceMs: number;
  /** Lets OpenCode name its session with a model call of its own. Our sessions have their own titles. */
  titles: boolean;
}

export const DEFAULT_OPTIONS: OpenCodeOptions = { startDeadlineMs: 60_000, startTries: 3, helloMs: 30_000, abortMs: 8_000, retries: 2, silenceMs: 35_000, titles: false };
