import type { ModelRef } from "@beeuni/protocol";
import type { NewEvent } from "@beeuni/transcript";

export interface UnstartedTurn {
  session: string;
  turn: string;
  /** The user message. */
  prompt: string;
  agent: string;
  model: ModelRef;
  harness: string;
  nextCall: number;
}

/**
 * The whole life of a prompt that was accepted and will never run: a turn that was interrupted before it began. It is
 * shown like that, and never run by itself later.
 */
export function neverStarted({ session, turn, prompt, agent, model, harness, nextCall }: UnstartedTurn): NewEvent[] {
  return [
    { type: "turn.started", session, turn, origin: "user", prompt, agent, model, harness, callsFrom: nextCall },
    {
      type: "turn.ended", session, turn, outcome: "interrupted", usage: null, callsTo: nextCall,
      error: { code: "interrupted", message: "the process ended before the turn began" },
    },
  ];
}
