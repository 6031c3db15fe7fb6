/**
 * Every error code of the product with its HTTP status and its exit code. Codes are stable: clients
 * and scripts branch on them.
 */
export const ERROR_CODES = {
  // usage and input
  usage: { status: 400, exit: 2 },
  invalid_request: { status: 400, exit: 1 },
  invalid_project: { status: 400, exit: 1 },
  invalid_config: { status: 400, exit: 1 },
  body_too_large: { status: 413, exit: 1 },
  // things that are not there
  not_found: { status: 404, exit: 4 },
  session_not_found: { status: 404, exit: 4 },
  agent_not_found: { status: 404, exit: 4 },
  agent_disabled: { status: 403, exit: 5 },
  model_not_found: { status: 404, exit: 4 },
  harness_not_found: { status: 404, exit: 4 },
  call_not_found: { status: 404, exit: 4 },
  no_model: { status: 409, exit: 1 },
  // harnesses
  harness_not_installed: { status: 409, exit: 1 },
  harness_unavailable: { status: 409, exit: 1 },
  harness_start_failed: { status: 502, exit: 1 },
  install_failed: { status: 502, exit: 1 },
  feature_not_supported: { status: 501, exit: 6 },
  rule_not_enforced: { status: 409, exit: 1 },
  // sessions
  session_busy: { status: 409, exit: 1 },
  session_locked: { status: 409, exit: 1 },
  session_corrupt: { status: 500, exit: 1 },
  turn_failed: { status: 502, exit: 1 },
  aborted: { status: 499, exit: 130 },
  timeout: { status: 504, exit: 3 },
  // trust
  unauthorized: { status: 401, exit: 5 },
  forbidden: { status: 403, exit: 5 },
  denied: { status: 403, exit: 5 },
  budget_exhausted: { status: 429, exit: 7 },
  // the machine
  port_in_use: { status: 500, exit: 1 },
  already_serving: { status: 409, exit: 1 },
  no_server: { status: 503, exit: 1 },
  storage_failed: { status: 507, exit: 1 },
  provider_error: { status: 502, exit: 1 },
  internal: { status: 500, exit: 1 },
} as const satisfies Record<string, { status: number; exit: number }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The exit codes of every command, as `beeuni help exit-codes` prints them. */
export const EXIT_CODES: readonly { code: number; meaning: string }[] = [
  { code: 0, meaning: "ok" },
  { code: 1, meaning: "failed" },
  { code: 2, meaning: "usage: unknown command, flag or missing argument" },
  { code: 3, meaning: "timeout" },
  { code: 4, meaning: "not found" },
  { code: 5, meaning: "denied" },
  { code: 6, meaning: "not supported by this harness" },
  { code: 7, meaning: "budget exhausted" },
  { code: 130, meaning: "interrupted" },
];

/** What an HTTP error body and a `--json` error hold. */
export interface ErrorBody {
  code: string;
  error: string;
  hint?: string;
}

/**
 * The one error class. `message` says what went wrong and where; `hint` says what to do.
 * Anything else that is thrown is a fault of ours and is reported as `internal`.
 */
export class BeeuniError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "BeeuniError";
    this.code = code;
    this.hint = options.hint;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }

  toBody(): ErrorBody {
    return { code: this.code, error: this.message, ...(this.hint === undefined ? {} : { hint: this.hint }) };
  }
}

/** Wraps whatever was thrown: a BeeuniError stays, a system error gets a plain message, the rest is `internal`. */
export function toBeeuniError(thrown: unknown): BeeuniError {
  if (thrown instanceof BeeuniError) return thrown;
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (code === "ENOSPC" || code === "EROFS" || code === "EDQUOT" || code === "EIO") {
    return new BeeuniError("storage_failed", message, { hint: "free space or make the folder writable, then run the command again", cause: thrown });
  }
  return new BeeuniError("internal", message, { cause: thrown });
}

/** The candidates nearest to `wanted` by edit distance, best first; for "did you mean". */
export function nearNames(wanted: string, known: readonly string[], limit = 3): string[] {
  const reach = Math.max(2, Math.floor(wanted.length / 3));
  return known
    .map((name) => ({ name, distance: name.startsWith(wanted) && wanted !== "" ? 1 : editDistance(wanted, name) }))
    .filter((candidate) => candidate.distance <= reach)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map((candidate) => candidate.name);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
