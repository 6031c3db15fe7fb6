import { inspect, isDeepStrictEqual } from "node:util";

/** What a check found wrong; empty when all is well. A control reads it too. */
export class Findings {
  readonly problems: string[] = [];

  check(isRight: boolean, problem: string): void {
    if (!isRight) this.problems.push(problem);
  }

  equal(actual: unknown, expected: unknown, what: string): void {
    if (isDeepStrictEqual(actual, expected)) return;
    this.problems.push(`${what}: ${show(actual)} instead of ${show(expected)}`);
  }
}

function show(value: unknown): string {
  return inspect(value, { depth: 8, breakLength: Infinity, maxStringLength: 300 });
}
