import { BeeuniError, nearNames, PermissionReply, type PermissionReplyBody } from "@beeuni/protocol";
import { homeDirectory, projectDirectory } from "../../compose/home.ts";
import { requireServer } from "../../compose/offline.ts";
import { oneOf } from "../../compose/prefix.ts";
import type { RunCommand } from "../../main.ts";
import type { Invocation } from "../../parse.ts";
import { writeJson } from "../../render/json.ts";
import { oneLine } from "../../render/plain.ts";

const reply: RunCommand = async (invocation, io) => {
  const body = replyBody(invocation);
  const { client } = await requireServer(homeDirectory(io.env), await projectDirectory(invocation.text("dir"), io.cwd));
  const request = oneOf(await client.permissions.list(), invocation.arguments[0]!, "permission request");
  await client.permissions.reply(request.id, body);
  if (invocation.flag("json")) writeJson(io.stdout, { id: request.id, ...body });
  else io.stdout.write(`${request.id}: ${body.reply}${body.reply === "always" ? alwaysText(body.always ?? request.always) : ""}\n`);
  return 0;
};
export default reply;

/** Nothing is stored when the request had no pattern that would cover this call and no other. */
function alwaysText(patterns: readonly string[]): string {
  return patterns.length === 0 ? " (allowed this once: nothing could be stored for it; --pattern names what to store)" : ` for ${patterns.map(oneLine).join(" · ")}`;
}

function replyBody(invocation: Invocation): PermissionReplyBody {
  const wanted = invocation.arguments[1]!;
  const parsed = PermissionReply.safeParse(wanted);
  if (!parsed.success) {
    const near = nearNames(wanted, PermissionReply.options)[0];
    throw new BeeuniError("usage", `"${wanted}" is no reply`, { hint: near === undefined ? `one of: ${PermissionReply.options.join(", ")}` : `did you mean ${near}?` });
  }
  const message = invocation.text("message");
  const always = invocation.list("pattern");
  if (message !== undefined && parsed.data !== "reject") throw new BeeuniError("usage", "--message goes with reject", { hint: "it is what the model is told" });
  if (always.length > 0 && parsed.data !== "always") throw new BeeuniError("usage", "--pattern goes with always", { hint: "it is what is stored" });
  return { reply: parsed.data, ...(message === undefined ? {} : { message }), ...(always.length === 0 ? {} : { always }) };
}
