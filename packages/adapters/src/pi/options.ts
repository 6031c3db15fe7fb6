/** What can be set of this adapter. The defaults are for people; tests shorten the waits. */
export interface PiOptions {
  /** How often a failed model call is tried again. The gateway retries by itself before the first byte, too. */
  retries: number;
  /** Wait before the first retry; doubles with each. Milliseconds. */
  retryDelayMs: number;
}

export const DEFAULT_OPTIONS: PiOptions = { retries: 2, retryDelayMs: 500 };

/** Pi's own settings for a session of ours. Everything that calls a model beside the turn is off. */
export function nativeSettings({ retries, retryDelayMs }: PiOptions): object {
  return {
    retry: { enabled: retries > 0, maxRetries: retries, baseDelayMs: retryDelayMs, provider: { maxRetries: 0 } },
    compaction: { enabled: false },
    cacheWarming: "off",
    enableInstallTelemetry: false,
    enableAnalytics: false,
    // Time limits of model calls are the gateway's.
    httpIdleTimeoutMs: 0,
  };
}
