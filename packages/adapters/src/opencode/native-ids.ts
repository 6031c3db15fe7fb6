import { randomBytes } from "node:crypto";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
let last = 0;
let counter = 0;

/**
 * An id as OpenCode makes them: it takes ours for new messages, and lists messages by their ids. Ids of later moments, and
 * of later calls in one moment, sort behind earlier ones.
 */
export function ascendingId(prefix: "msg" | "prt" | "evt", now: number = Date.now()): string {
  counter = now === last ? counter + 1 : 1;
  last = now;
  const moment = (BigInt(now) * 0x1000n + BigInt(counter)) & 0xffff_ffff_ffffn;
  const rest = [...randomBytes(14)].map((byte) => DIGITS[byte % DIGITS.length]).join("");
  return `${prefix}_${moment.toString(16).padStart(12, "0")}${rest}`;
}
