import type { SessionCapability } from "@beeuni/protocol";
import { BeeuniError } from "@beeuni/protocol";
import type { SessionFeatures, SessionSpec } from "@beeuni/harness";
import { NativeState } from "./native-state.ts";
import { runCommand } from "./process-group.ts";

/** The session functions of the scripted harness, as far as they are listed. Each one works on its native state. */
/** A turn stands for its prompt. */
function indexOf(state: NativeState, message: string): number {
  return state.messages.findIndex(({ key }) => key === message || key === `${message}.m0`);
}

export function scriptedFeatures(listed: readonly SessionCapability[], spec: SessionSpec, state: NativeState): SessionFeatures {
  const all: Required<SessionFeatures> = {
    "session.rewind": async (message) => {
      if (message === null) throw new BeeuniError("not_found", "nothing was rewound in the scripted session");
      const index = indexOf(state, message);
      if (index === -1) throw new BeeuniError("not_found", `there is no message "${message}" in the scripted session`);
      await state.rewrite(state.messages.slice(0, index));
    },
    "session.compact": async () => {
      const text = `summary of ${state.messages.length} messages`;
      await state.rewrite([{ key: "summary", role: "user", text, toolCalls: [] }]);
    },
    "session.fork": async (message) => {
      const index = message === undefined ? -1 : indexOf(state, message);
      const fork = await NativeState.create(spec.stateDir, index === -1 ? state.messages : state.messages.slice(0, index));
      return { nativeId: fork.nativeId };
    },
    "session.shell": async (command) => {
      const { output, exitCode } = await runCommand(command, { cwd: spec.workspace, env: spec.commandEnv, signal: new AbortController().signal });
      await state.add({ key: `shell.${state.messages.length + 1}`, role: "user", text: `$ ${command}\n${output}(exit ${exitCode})`, toolCalls: [] });
    },
    "session.todo": async () => [],
    "session.mcp": async () => ({}),
    "session.config": async () => ({ agent: spec.agents.default }),
    "session.commands": async () => [],
    "session.attach": async () => ({ command: ["/bin/cat", state.path], env: {} }),
    "session.subagents": async () => spec.agents.agents.filter(({ mode }) => mode !== "primary").map(({ name }) => name),
  };
  return Object.fromEntries(listed.map((id) => [id, all[id]])) as SessionFeatures;
}
