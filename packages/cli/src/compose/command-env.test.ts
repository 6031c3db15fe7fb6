import assert from "node:assert/strict";
import { test } from "node:test";
import { commandEnvironment } from "./command-env.ts";

test("the agent's commands get their usual environment and no secret", () => {
  const env = {
    PATH: "/bin", HOME: "/home/ada", LANG: "C.UTF-8", LC_ALL: "C", TERM: "xterm", TZ: "UTC", USER: undefined,
    OPENAI_API_KEY: "sk-1", AWS_SECRET_ACCESS_KEY: "x", BEEUNI_HOME: "/h", BEEUNI_TOKEN: "t", NODE_OPTIONS: "--require x", NODE_COMPILE_CACHE: "/c", LD_PRELOAD: "x",
  };
  assert.deepEqual(commandEnvironment(env), { PATH: "/bin", HOME: "/home/ada", LANG: "C.UTF-8", LC_ALL: "C", TERM: "xterm", TZ: "UTC" });
});
