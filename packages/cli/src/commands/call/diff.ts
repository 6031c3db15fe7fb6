import { BeeuniError } from "@beeuni/protocol";
import { findCall, type FoundCall, readCallBody, readSessionCalls } from "@beeuni/daemon";
import { bodyText, diffRequests, type RequestText, type StoredCall } from "@beeuni/trace";
import { homeDirectory } from "../../compose/home.ts";
import type { RunCommand } from "../../main.ts";
import { writeJson } from "../../render/json.ts";
import { diffPage } from "../../render/request-diff.ts";

const diff: RunCommand = async (invocation, io) => {
  const home = homeDirectory(io.env);
  const after = await findCall(home, invocation.arguments[0]!);
  const { calls, stored } = await readSessionCalls(home, after.session);
  const earlier = before(stored, after.stored);
  const call = calls.find(({ number }) => number === earlier?.number);
  if (earlier === undefined || call === undefined) {
    throw new BeeuniError("call_not_found", `${after.call.id} is the first request of its loop: there is none before it`, { hint: `beeuni call show ${after.call.id} --request shows it whole` });
  }
  const result = diffRequests(await requestText(home, { ...after, call, stored: earlier }), await requestText(home, after));
  if (invocation.flag("json")) writeJson(io.stdout, { before: call.id, after: after.call.id, ...result });
  else io.stdout.write(diffPage(call, after.call, result, io.stdout));
  return 0;
};
export default diff;

/** The request before it in the same loop: a title's or a sub-agent's request in between is another conversation. */
function before(calls: readonly StoredCall[], { number, role, agent, nativeSession }: StoredCall): StoredCall | undefined {
  return calls.findLast((call) => call.number < number && call.role === role && call.agent === agent && call.nativeSession === nativeSession);
}

async function requestText(home: string, found: FoundCall): Promise<RequestText> {
  const encoding = found.stored.requestHeaders.find(([name]) => name.toLowerCase() === "content-encoding")?.[1] ?? null;
  return { protocol: found.call.protocol, body: bodyText({ bytes: await readCallBody(home, found, "request"), encoding }).text };
}
