import type { TurnInfo } from "@beeuni/protocol";

/** Whether the call fell into the turn. A turn that runs still has no upper bound; one without a range holds nothing. */
export function inTurn(turn: TurnInfo | undefined, call: number): boolean {
  if (turn?.calls === undefined) return false;
  const [from, to] = turn.calls;
  return call >= from && (turn.endedAt === undefined || call < to);
}

/** The turn that a call number belongs to; null when none or more than one holds it. */
export function turnOfNumber(turns: readonly TurnInfo[], call: number): string | null {
  const holding = turns.filter((turn) => inTurn(turn, call));
  return holding.length === 1 ? holding[0]!.id : null;
}
