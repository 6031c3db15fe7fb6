export type Environment = { readonly [name: string]: string | undefined };

/** Where a secret stands: in a variable, or in the file itself. */
export type SecretRef = { variable: string } | { literal: string };

/** `$NAME` and `${NAME}` name a variable; anything else is the secret itself. */
export function secretRef(text: string): SecretRef {
  const match = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/.exec(text);
  return match === null ? { literal: text } : { variable: (match[1] ?? match[2])! };
}

export type Secret = { value: string } | { missing: string } | { error: string };

/** The secret as a header can carry it. Messages never hold a part of it. */
export function readSecret(ref: SecretRef, env: Environment): Secret {
  const found = "literal" in ref ? ref.literal : env[ref.variable];
  const value = found?.trim();
  const where = "literal" in ref ? "" : `$${ref.variable} `;
  if (value === undefined || value === "") return "literal" in ref ? { error: "is empty" } : { missing: ref.variable };
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return { error: `${where}holds characters that no header can carry` };
  return { value };
}
