import { BeeuniError } from "@beeuni/protocol";
import { findCall, type FoundCall, readCallBody } from "@beeuni/daemon";
import { bodyText } from "@beeuni/trace";
import { homeDirectory } from "../../compose/home.ts";
import type { Io } from "../../io.ts";
import type { RunCommand } from "../../main.ts";
import type { Invocation } from "../../parse.ts";
import { callPage, exchangePage, type Exchange } from "../../render/call.ts";
import { writeJson } from "../../render/json.ts";

const show: RunCommand = async (invocation, io) => {
  const side = sideOf(invocation);
  const home = homeDirectory(io.env);
  const found = await findCall(home, invocation.arguments[0]!);
  if (side === undefined) {
    if (invocation.flag("json")) writeJson(io.stdout, found.call);
    else io.stdout.write(callPage(found.call, found.stored, io.stdout));
    return 0;
  }
  const bytes = await readCallBody(home, found, side);
  if (invocation.flag("raw")) io.stdout.write(bytes);
  else showExchange(found, side, bytes, invocation.flag("json"), io);
  return 0;
};
export default show;

function sideOf(invocation: Invocation): "request" | "response" | undefined {
  const [request, response, raw] = [invocation.flag("request"), invocation.flag("response"), invocation.flag("raw")];
  if (request && response) throw new BeeuniError("usage", "--request and --response don't go together", { hint: "ask for one, then for the other" });
  if (raw && invocation.flag("json")) throw new BeeuniError("usage", "--raw and --json don't go together", { hint: "--raw is the body's bytes and nothing else" });
  if (raw && !request && !response) throw new BeeuniError("usage", "--raw of which side?", { hint: "add --request or --response" });
  return request ? "request" : response ? "response" : undefined;
}

function showExchange({ call, stored }: FoundCall, side: "request" | "response", bytes: Uint8Array, json: boolean, io: Io): void {
  const encoding = side === "response" ? call.response.encoding : (header(stored.requestHeaders, "content-encoding") ?? null);
  const { text, problem } = bodyText({ bytes, encoding });
  const exchange: Exchange = {
    line: side === "request" ? `${call.method} ${call.target}` : call.status === null ? "no response" : String(call.status),
    headers: side === "request" ? stored.requestHeaders : stored.responseHeaders,
    body: text,
    problem,
  };
  if (problem !== null) io.stderr.write(`beeuni: warning: ${problem} (--raw prints the bytes as they are)\n`);
  if (json) writeJson(io.stdout, { call: call.id, side, ...exchange, body: parsed(text) });
  else io.stdout.write(exchangePage(exchange, io.stdout));
}

function header(headers: readonly (readonly [string, string])[], name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The body's value where it is JSON, else its text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
