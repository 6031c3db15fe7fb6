import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { BeeuniError, toBeeuniError } from "@beeuni/protocol";

/**
 * The one error shape of the wire: `{code, error, hint?}`, and beside it `{name, data: {message}}`, which other people's
 * clients of the session wire read.
 */
export function errorResponse(context: Context, thrown: unknown): Response {
  const error = toBeeuniError(thrown);
  return context.json({ ...error.toBody(), name: nameOf(error), data: { message: error.message } }, statusOf(error) as ContentfulStatusCode);
}

export function notFound(context: Context): Response {
  const { method, path } = context.req;
  return errorResponse(context, new BeeuniError("not_found", `there is no handler for ${method} ${path}`));
}

function statusOf({ status }: BeeuniError): number {
  // 499 is ours: no answer may carry it that a client has to understand.
  return status === 499 ? 409 : status;
}

function nameOf({ code, status }: BeeuniError): string {
  if (status === 404) return "NotFoundError";
  if (status === 400) return "BadRequestError";
  return `${code.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Error`;
}
