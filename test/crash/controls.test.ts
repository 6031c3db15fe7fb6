import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, truncateSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sessionPaths } from "@beeuni/daemon";
import { crashAt } from "./crash-at.ts";
import { examine, liveUntil } from "./death.ts";
import { Findings } from "./findings.ts";
import { listening, processesLeft } from "./left-over.ts";
import { requestProblems } from "./model-request.ts";
import { Watching } from "./person.ts";
import { checkRecovery, checkRecoveryTold } from "./recovery.ts";
import { Scene } from "./scene.ts";
import { SCRIPTED } from "./script.ts";
import { stateOf } from "./states.ts";

const scripted = { harness: "scripted", script: SCRIPTED };

/** What each of these takes away, the check must miss. */
describe("control:", { concurrency: 2 }, () => {
  test("a log that acknowledges before it has written is found out", async () => {
    const { problems } = await crashAt(stateOf("question-asked"), { ...scripted, faults: { before: "acknowledges-early" } });
    const text = problems.join("\n");
    assert.match(text, /^\d{2} events that a client saw are not in the log: 2 session\.opened, 3 message\.created/m);
    assert.match(text, /^msg_0123456789abAAAAAAAAAAAAAA was acknowledged and is not in the log$/m);
    assert.match(text, /^the command ran 2 times$/m);
  });

  test("a daemon that takes the repeated prompt for a new one is found out", async () => {
    const { problems } = await crashAt(stateOf("tool-ended"), { ...scripted, faults: { after: "no-dedupe" } });
    const text = problems.join("\n");
    // It was sent twice more.
    assert.match(text, /^the command ran 3 times$/m);
    assert.match(text, /^the prompt again: /m);
    assert.match(text, /^the prompts of the session: /m);
  });

  test("a session that nobody recovered is found out", async () => {
    using scene = new Scene(scripted);
    const { problems, remains } = await liveUntil(scene, stateOf("question-asked"), new Watching());
    assert.deepEqual(problems, []);
    const findings = new Findings();
    checkRecovery(remains, remains!.state, findings);
    checkRecoveryTold(remains, remains!, findings);
    assert.deepEqual(findings.problems.map((problem) => problem.split(":")[0]!.replace(/ \S+(trn|prt)_\S+/g, " …").replace(/ (trn|prt)_\S+/g, " …")), [
      "the session after it was opened again", "what is open after the session was opened again", "the outcome of the turn …", "the open call …", "what the recovery told",
    ]);
  });

  test("a trace that lost the end of an acknowledged call is found out", async () => {
    using scene = new Scene(scripted);
    const { problems, remains, told } = await liveUntil(scene, stateOf("call-ended"), new Watching());
    assert.deepEqual(problems, []);
    const { trace } = sessionPaths(scene.home, remains!.session);
    const newest = join(trace, readdirSync(trace).sort().at(-1)!);
    truncateSync(newest, statSync(newest).size >> 1);
    const [first, ...others] = await examine(scene.home, remains!, told);
    assert.match(first ?? "", /^call 0, whose end was acknowledged: \{ end: 'cut', /);
    assert.deepEqual(others, []);
  });

  test("a process that is left, and somebody who listens, are found", async () => {
    using scene = new Scene(scripted);
    const child = spawn("sleep", ["600"], { env: scene.mark });
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    assert.deepEqual([await processesLeft(scene.markText, 0), await listening([port, 1])], [[`${child.pid} sleep 600`], [port]]);
    child.kill("SIGKILL");
    server.close();
    await Promise.all([once(child, "exit"), once(server, "close")]);
    assert.deepEqual([await processesLeft(scene.markText), await listening([port, 1])], [[], []]);
  });

  test("a model request that no provider takes is found", () => {
    const call = (id: string) => ({ role: "assistant", content: "", tool_calls: [{ id, function: { name: "bash" } }] });
    const result = (id: string) => ({ role: "tool", content: "", tool_call_id: id });
    const user = { role: "user", content: "go" };
    const problems = (...messages: Parameters<typeof requestProblems>[0]["messages"]) => requestProblems({ messages });
    assert.deepEqual(problems(user, call("a"), result("a"), user), []);
    assert.deepEqual(problems(user, call("a"), user), ["the call a has no result"]);
    assert.deepEqual(problems(user, call("a")), ["the call a has no result", "its last message is of assistant"]);
    assert.deepEqual(problems(result("a"), user), ["a result for a, which nobody called"]);
    assert.deepEqual(problems(call("a"), result("a"), call("a"), result("a"), user), ["two calls have the id a"]);
  });
});
