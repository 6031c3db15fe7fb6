import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { PermissionReplyBody, PermissionRequest } from "@beeuni/protocol";
import type { StateSnapshot } from "@beeuni/sdk";
import { beeuni, beeuniJson, Cli } from "./support/cli.ts";
import { ModelServer, toolResults } from "./support/model-server.ts";
import { Place, projectFiles } from "./support/place.ts";
import { Server } from "./support/serve.ts";
import { conversation, promptOf, stateWhen } from "./support/session.ts";

const DENIED = "The project policy denies this bash call.";

describe("answers to what asks, on the real harness", () => {
  let place: Place;
  let model: ModelServer;
  let server: Server;
  before(async () => {
    place = new Place(projectFiles({
      asks: '---\npermission:\n  bash: {"*": ask, "rm *": deny}\n---\n',
      // The same without the deny: for the controls.
      open: '---\npermission:\n  bash: {"*": ask, "rm *": ask}\n---\n',
    }));
    model = await ModelServer.start();
    place.configure({ up: model.provider });
    server = await Server.start(place, ["--model", "up/demo"]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    place[Symbol.dispose]();
  });

  /** Runs a command and answers each request with `reply`. Answers what was asked, and how the call ended. */
  async function shell(session: string, command: string, reply?: PermissionReplyBody): Promise<{ asked: PermissionRequest[]; end: string }> {
    const { client } = server;
    const { turn } = await client.sessions.prompt(session, promptOf(`[[shell: ${command}]] [[text: done]]`));
    const asked: PermissionRequest[] = [];
    for (;;) {
      const { permissions, turns } = await stateWhen(client, session, (state) => state.permissions.length > 0 || state.turns.some((one) => one.id === turn && one.endedAt !== undefined));
      if (turns.at(-1)!.endedAt !== undefined) break;
      asked.push(permissions[0]!);
      assert.ok(reply !== undefined, `${command} asked`);
      await client.permissions.reply(permissions[0]!.id, reply);
    }
    return { asked, end: conversation(await client.sessions.state(session)).at(-2)! };
  }
  const exists = (file: string): boolean => existsSync(join(place.project, file));

  test("[H-051] once lets one call run, always what its pattern covers, reject none, and the model reads why", async () => {
    const { id } = await server.client.sessions.create({ agent: "asks" });
    const once = await shell(id, "touch one", { reply: "once" });
    assert.deepEqual(once.asked.map(({ agent, permission, tool, patterns, always, metadata }) => ({ agent, permission, tool, patterns, always, metadata })), [
      { agent: "asks", permission: "bash", tool: "bash", patterns: ["touch one"], always: ["touch *"], metadata: { command: "touch one" } },
    ]);
    assert.deepEqual([once.end, exists("one")], ["bash completed: (no output)", true]);

    const rejected = await shell(id, "touch two", { reply: "reject", message: "Use another name." });
    assert.deepEqual([rejected.asked.length, rejected.end, exists("two")], [1, "bash rejected: The user rejected this tool call. Use another name.", false]);
    assert.deepEqual(toolResults(model.last), ["The user rejected this tool call. Use another name."]);

    const always = await shell(id, "touch three", { reply: "always" });
    assert.deepEqual([always.asked.length, exists("three")], [1, true]);
    assert.deepEqual([(await shell(id, "touch four")).asked, exists("four")], [[], true]);
    assert.equal((await shell(id, "mkdir five", { reply: "reject" })).asked.length, 1);
    assert.deepEqual((await server.client.sessions.state(id)).grants, [{ agent: "asks", permission: "bash", pattern: "touch *" }]);
    // Another agent of the same session is asked again.
    const { turn } = await server.client.sessions.prompt(id, promptOf("[[shell: touch six]]", { agent: "open" }));
    await server.client.permissions.reply((await stateWhen(server.client, id, ({ permissions }) => permissions.length > 0)).permissions[0]!.id, { reply: "reject" });
    await stateWhen(server.client, id, ({ turns }) => turns.some((one) => one.id === turn && one.endedAt !== undefined));
    assert.equal(exists("six"), false);
  });

  for (const [agent, end, stays] of [["asks", `bash denied: ${DENIED}`, true], ["open", "bash completed: (no output)", false]] as const) {
    test(agent === "asks" ? "a deny beats a stored always, also after a restart, and against --allow and --yes" : "control: with an ask in place of the deny the same always, --allow and --yes let the call run", async () => {
      const { id } = await server.client.sessions.create({ agent });
      assert.equal((await shell(id, "touch keep keep2 keep3 keep4", { reply: "always", always: ["*"] })).asked.length, 1);
      assert.deepEqual([await shell(id, "rm keep"), exists("keep")], [{ asked: [], end }, stays]);
      await server.client.sessions.restart(id);
      assert.deepEqual([await shell(id, "rm keep2"), exists("keep2")], [{ asked: [], end }, stays]);
      for (const [flag, file] of [[["--allow", "bash"], "keep3"], [["--yes"], "keep4"]] as const) {
        const { code } = await beeuni(place, ["run", "-q", "--model", "up/demo", "--agent", agent, ...flag, `[[shell: rm ${file}]] [[text: done]]`]);
        assert.deepEqual([code, exists(file)], [0, stays], flag.join(" "));
      }
    });
  }

  test("headless, `run` refuses what asks and names the flag; that flag, and --yes, let it run", async () => {
    const command = "echo 'it'\\''s here' >> out.txt";
    const run = async (...flags: string[]): Promise<string> => {
      const { code, stdout } = await beeuni(place, ["run", "--model", "up/demo", ...flags, `[[shell: ${command}]] [[text: done]]`]);
      assert.equal(code, 0);
      // Long lines are wrapped.
      return stdout.split("\n\n")[0]!.replaceAll("\n    ", " ");
    };
    const flag = String.raw`'bash:echo '\''it'\''\'\'''\''s here'\'' >> out.txt'`;
    assert.equal(await run(), `● bash  ${command}\n  ✗ denied: This bash call needs a person's permission and nobody is there to be asked. It can be allowed at the start with --allow ${flag}`);
    assert.equal(exists("out.txt"), false);
    // The flag as it was printed, through a shell.
    const pasted = await new Cli(place, ["run", "-q", "--model", "up/demo", `[[shell: ${command}]] [[text: done]]`], { through: ["bash", "-c", `exec "$@" --allow ${flag}`, "bash"] }).done;
    assert.equal(pasted.code, 0, pasted.stderr);
    assert.equal(await run("--yes"), `● bash  ${command}\n  (no output)`);
    assert.equal(readFileSync(join(place.project, "out.txt"), "utf8"), "it's here\nit's here\n");
  });

  test("a person answers on the command line: permission ls and reply, question ls, reply and reject", async () => {
    const { client } = server;
    const { id } = await client.sessions.create({ agent: "asks" });
    await client.sessions.prompt(id, promptOf("[[shell: touch seven]] [[text: done]]"));
    const request = (await stateWhen(client, id, ({ permissions }) => permissions.length > 0)).permissions[0]!;
    assert.deepEqual(await beeuniJson(place, ["permission", "ls"]), [request]);
    const { stdout } = await beeuni(place, ["permission", "reply", request.id.slice(0, 18), "always"]);
    assert.equal(stdout, `${request.id}: always for touch *\n`);
    await stateWhen(client, id, ({ status }) => status.type === "idle");
    assert.equal(exists("seven"), true);

    const ask = async (): Promise<string> => {
      await client.sessions.prompt(id, promptOf(`[[tool question ${JSON.stringify({ questions: [
        { question: "Which colour?", header: "Colour", options: [{ label: "red", description: "" }, { label: "blue", description: "" }] },
        { question: "Which sizes?", header: "Sizes", options: [{ label: "s", description: "" }, { label: "m", description: "" }], multiple: true },
      ] })}]] [[text: done]]`));
      return (await stateWhen(client, id, ({ questions }) => questions.length > 0)).questions[0]!.id;
    };
    const question = await ask();
    const late = await beeuni(place, ["question", "reply", question, "--answer", "red"]);
    assert.deepEqual([late.code, late.stderr], [2, `error: ${question} asks 2 questions, and --answer stands 1 time\nhint: beeuni question reply ${question} --answer "…" --answer "…"\n`]);
    assert.equal((await beeuni(place, ["question", "reply", question, "--answer", "blue", "--answer", "s,m"])).stdout, `answered ${question}\n`);
    await stateWhen(client, id, ({ status }) => status.type === "idle");
    assert.deepEqual(toolResults(model.last), ["User answered:\nColour: blue\nSizes: s, m"]);
    assert.equal((await beeuni(place, ["question", "reject", await ask()])).code, 0);
    const state = await stateWhen(client, id, ({ status }) => status.type === "idle");
    assert.equal(conversation(state as StateSnapshot).at(-2), "question rejected: The user dismissed the question.");
  });
});
