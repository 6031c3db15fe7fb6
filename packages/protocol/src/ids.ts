/** Every kind of id on the wire or on disk. The prefix says what it names. */
export type IdPrefix = "ses" | "trn" | "msg" | "prt" | "per" | "que" | "evt" | "cal";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID = /^(ses|trn|msg|prt|per|que|evt|cal)_[0-9a-f]{12}[0-9A-Za-z]{14}$/;

let last = 0n;

/**
 * A new id: the prefix, `_`, 12 hex digits of (unix ms × 4096 + counter), 14 random base-62 digits.
 * Ids of one process strictly ascend, also when the clock goes backwards.
 */
export function newId(prefix: IdPrefix, now: number = Date.now()): string {
  const wanted = BigInt(now) * 4096n;
  last = wanted > last ? wanted : last + 1n;
  const head = (last & 0xffffffffffffn).toString(16).padStart(12, "0");
  let tail = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(14))) tail += BASE62[byte % 62];
  return `${prefix}_${head}${tail}`;
}

/** Makes sure that later ids sort after `id` (an id read from a log), whatever the clock says. */
export function observeId(id: string): void {
  if (!ID.test(id)) return;
  const low = BigInt(`0x${id.slice(4, 16)}`);
  // The 48 bits wrap every 2.2 years: only an id of the same era can push the counter.
  const era = last === 0n ? (BigInt(Date.now()) * 4096n) & ~0xffffffffffffn : last & ~0xffffffffffffn;
  if (era + low > last) last = era + low;
}

const DAY = 24 * 3600 * 1000;

/**
 * The same for an id that somebody else made, whose clock may be ahead: only up to a day, so that one wild id does not
 * use up the numbers of this process.
 */
export function observeForeignId(id: string, now: number = Date.now()): void {
  if (!ID.test(id)) return;
  const ahead = (BigInt(`0x${id.slice(4, 16)}`) - BigInt(now) * 4096n) & 0xffffffffffffn;
  if (ahead <= BigInt(DAY) * 4096n) observeId(id);
}

/** Whether `text` is a whole id of the kind `prefix` (of any kind, when left out). */
export function isId(text: string, prefix?: IdPrefix): boolean {
  return ID.test(text) && (prefix === undefined || text.startsWith(`${prefix}_`));
}
