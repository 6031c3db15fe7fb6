import { SessionInfo, TurnInfo } from "@beeuni/protocol";
// zod: the one schema of what --json prints, for the type and for whoever reads it back.
import { z } from "zod";

/** The value of `beeuni run --json`. */
export const RunResult = z.object({
  session: SessionInfo,
  turn: TurnInfo,
  /** Text of the turn's last message that has any. */
  answer: z.string(),
  /** Command that continues the session. */
  resume: z.string(),
});
export type RunResult = z.infer<typeof RunResult>;
