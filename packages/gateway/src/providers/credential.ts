import type { CredentialHeader } from "./known.ts";

/** The key stays in the closure: a provider that is printed or serialised shows none. */
export function credentialOf(header: CredentialHeader, key: string): () => readonly [string, string] {
  return () => (header === "x-api-key" ? [header, key] : [header, `Bearer ${key}`]);
}
