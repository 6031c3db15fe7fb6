import type { ModelRef, TurnOrigin } from "@beeuni/protocol";

/** A turn that has begun and not ended. */
export interface ActiveTurn {
  id: string;
  /** The session of the tree that it belongs to. */
  session: string;
  origin: TurnOrigin;
  /** The harness's key of a turn that it began by itself. */
  key?: string;
  /** The user message that it answers. */
  prompt?: string;
  agent: string;
  model: ModelRef;
  /** Fires when somebody asks to stop it. */
  stop: AbortController;
  /** How it ended is known; `turn.ended` is on its way to the log. */
  isClosing: boolean;
  /** Resolves when its end is in the log, or never will be. */
  over: PromiseWithResolvers<void>;
}

export function newActiveTurn(fields: Omit<ActiveTurn, "stop" | "isClosing" | "over">): ActiveTurn {
  return { ...fields, stop: new AbortController(), isClosing: false, over: Promise.withResolvers() };
}
