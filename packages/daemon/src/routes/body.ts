import type { Context } from "hono";
import type { z } from "zod";
import { BeeuniError } from "@beeuni/protocol";

/** The request's JSON body, checked. An empty body counts as `{}`. Throws `invalid_request` with every problem. */
export async function readBody<Schema extends z.ZodType>(context: Context, schema: Schema): Promise<z.output<Schema>> {
  const text = await context.req.text();
  let value: unknown;
  try {
    value = text.trim() === "" ? {} : JSON.parse(text);
  } catch (thrown) {
    throw new BeeuniError("invalid_request", `the body is not JSON: ${(thrown as Error).message}`);
  }
  return check(schema, value);
}

/** The request's query, checked: a parameter given several times counts once. Throws `invalid_request` with every problem. */
export function readQuery<Schema extends z.ZodType>(context: Context, schema: Schema): z.output<Schema> {
  return check(schema, context.req.query());
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 || message.startsWith(`${String(path[0])} `) ? message : `${path.map(String).join(".")}: ${message}`);
  throw new BeeuniError("invalid_request", problems.join("; "));
}
