import { BeeuniError } from "@beeuni/protocol";

/** The one request whose id is `text` or begins with it. Throws `not_found`, or `invalid_request` when several do. */
export function oneOf<T extends { id: string }>(requests: readonly T[], text: string, what: string): T {
  const found = requests.filter(({ id }) => id.startsWith(text));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) throw new BeeuniError("invalid_request", `several ids begin with "${text}": ${found.map(({ id }) => id).join(", ")}`, { hint: "give more of the id" });
  const open = requests.map(({ id }) => id);
  throw new BeeuniError("not_found", `there is no open ${what} "${text}": it was answered, or its turn ended`, { hint: open.length === 0 ? "nothing waits for an answer" : `open: ${open.join(", ")}` });
}
