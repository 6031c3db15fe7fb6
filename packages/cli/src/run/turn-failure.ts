import { BeeuniError, type TurnInfo } from "@beeuni/protocol";

/** What to do about a failure of this kind; the codes are those of `TurnError`. */
const HINTS: Readonly<Record<string, (provider: string, resume: string) => string>> = {
  auth: (provider) => `check the key of ${provider}: beeuni doctor shows which variables and files were read`,
  rate_limit: (_, resume) => `wait a little, then go on with: ${resume}`,
  credits: (provider) => `the account at ${provider} has no credit left; add some, or go on with another --model`,
  context_length: () => "the conversation is longer than the model reads; start a new session, or go on with a --model that reads more",
  output_length: () => "the answer was longer than the model may write; ask for less at once",
  steps: (_, resume) => `raise \`steps\` in the agent's file, or go on with: ${resume}`,
  upstream: (provider, resume) => `${provider} failed or broke off (beeuni call ls shows the exchange); try again with: ${resume}`,
  harness: (_, resume) => `beeuni doctor checks the harness; go on with: ${resume}`,
};

/**
 * The error that a turn ends the command with; undefined for a completed turn. A failed or cut turn is never shown as
 * a success. `resume` is the command that continues the session.
 */
export function turnFailure(turn: TurnInfo, resume: string): BeeuniError | undefined {
  switch (turn.outcome) {
    case "completed":
      return undefined;
    case "aborted":
      return new BeeuniError("aborted", "stopped; what was said until then is kept", { hint: `go on with: ${resume}` });
    case "interrupted":
      return new BeeuniError("turn_failed", "the turn was interrupted: the process that ran it ended", { hint: `go on with: ${resume}` });
    default: {
      const { code, message } = turn.error ?? { code: "unknown", message: "the turn ended without an answer and without a reason" };
      const hint = HINTS[code]?.(turn.model.provider, resume) ?? "look at the exchange with the model: beeuni call ls";
      return new BeeuniError("turn_failed", message, { hint });
    }
  }
}
