/** Headers whose values are credentials. Their values never reach the disk. */
export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  "authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "set-cookie",
]);

type Header = readonly [string, string];

/** The same pairs in the same order; each credential is replaced by as many `*`. The masked ranges are implied by the header's name. */
export function maskHeaders(headers: readonly Header[]): Header[] {
  return headers.map(([name, value]) => (CREDENTIAL_HEADERS.has(name.toLowerCase()) ? [name, "*".repeat(value.length)] : [name, value]));
}
