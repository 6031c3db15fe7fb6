import type { AgentSpec, ModelRef } from "@beeuni/protocol";
import type { Sampling } from "./models.ts";

/** What the hooks into Pi need to know of the turn that runs. */
export interface ActiveTurn {
  id: string;
  agent: AgentSpec;
  model: ModelRef;
  sampling: Sampling;
  /** Model steps of this turn that called tools. */
  stepsTaken: number;
}

/** The next model step may not call tools. */
export function stepsAreOver(turn: ActiveTurn): boolean {
  return turn.agent.steps !== null && turn.stepsTaken >= turn.agent.steps;
}

/** The model called tools in a step that it did not have. */
export function isBeyondSteps(turn: ActiveTurn): boolean {
  return turn.agent.steps !== null && turn.stepsTaken > turn.agent.steps;
}

export const STEPS_OVER = "This agent's tool steps for the turn are used up: no tool was run. Answer in text.";

/** Told to the model with the request after the last tool step. */
export function stepsNotice(steps: number): string {
  return `[Beeuni] You have taken the ${steps} tool ${steps === 1 ? "step" : "steps"} that this agent has for one turn, and tools are switched off now. ` +
    "Answer in text: what you have found or done, what is left, and what to do next.";
}
