import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { BeeuniError, isId, nearNames } from "@beeuni/protocol";

/** Ids of every stored session, newest first. None when the home has no sessions yet. */
export async function sessionIds(home: string): Promise<string[]> {
  const names = await readdir(join(home, "sessions")).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => isId(name, "ses")).sort().reverse();
}

/**
 * The session that `text` names: a whole id, or the beginning of one (with or without `ses_`), at least 4 characters of it.
 * Throws `session_not_found` with near ids, `invalid_request` when several begin like that.
 */
export async function resolveSessionId(home: string, text: string): Promise<string> {
  const ids = await sessionIds(home);
  if (ids.includes(text)) return text;
  const start = text.startsWith("ses_") ? text : `ses_${text}`;
  const matching = start.length >= 8 ? ids.filter((id) => id.startsWith(start)) : [];
  if (matching.length === 1) return matching[0]!;
  if (matching.length > 1) {
    throw new BeeuniError("invalid_request", `several sessions begin with "${text}": ${matching.slice(0, 5).join(", ")}${matching.length > 5 ? ", …" : ""}`, { hint: "give more of the id" });
  }
  throw new BeeuniError("session_not_found", `there is no session "${text}"`, { hint: nearHint(start, ids) });
}

/** Ids are long and alike: what was typed is compared with as much of each. */
function nearHint(start: string, ids: readonly string[]): string {
  // The head of every id is its time: a few characters are near to all of them.
  if (start.length < 8) return "`beeuni session ls` lists the sessions";
  const heads = new Map(ids.map((id) => [id.slice(0, start.length), id]));
  const near = nearNames(start, [...heads.keys()]).map((head) => heads.get(head)!);
  return near.length > 0 ? `did you mean ${near.join(" or ")}?` : "`beeuni session ls` lists the sessions";
}
