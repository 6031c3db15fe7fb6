import { createHash } from "node:crypto";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * The `cal_…` id of a recorded call. Pure: the same principal, number and start (unix ms) give the same id, whoever
 * reads the trace and whenever. It has the shape of every other id and sorts by start, then number.
 */
export function callId(principal: string, number: number, startedAt: number): string {
  const stamp = BigInt(Math.trunc(startedAt)) * 4096n + BigInt(number % 4096);
  const head = (stamp & 0xffffffffffffn).toString(16).padStart(12, "0");
  const digest = createHash("sha256").update(`${principal}\n${number}\n${startedAt}`).digest();
  const tail = Array.from(digest.subarray(0, 14), (byte) => BASE62[byte % 62]).join("");
  return `cal_${head}${tail}`;
}
