/** Clocks for exact times: the wall stands still at 1 764 500 000 000, the monotonic clock ticks 1.5 ms a look. */
export function testClock(): { now: () => number; monotonic: () => number } {
  let ticks = 0;
  return { now: () => 1_764_500_000_000, monotonic: () => 1.5 * ticks++ };
}
