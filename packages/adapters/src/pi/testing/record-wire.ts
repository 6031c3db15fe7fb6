// Records what the real SDK reports into test/fixtures/wire/pi@<version>/, and what `translate.ts` makes of it.
// Run it after a change of the pinned version, and read the difference: node packages/adapters/src/pi/testing/record-wire.ts
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentSpec, endpointAt, makeFolders, RecordingHost, sessionSpec, agentSet, DEMO, toolchainFolder } from "@beeuni/conformance";
import { createFauxServer } from "@beeuni/gateway/faux";
import { callDetails } from "../call-result.ts";
import { pi } from "../index.ts";
import { samplingOf } from "../models.ts";
import type { NativeEvent } from "../native-events.ts";
import { startPi } from "../process.ts";
import { systemPrompt } from "../prompt.ts";
import { CallResources } from "../tools/call-resources.ts";
import type { ActiveTurn } from "../turn.ts";
import { callChunk, chunk, startChunkServer } from "./chunk-server.ts";
import { FIXTURES, translated, type RecordedEvent } from "./wire-fixtures.ts";

interface Case {
  prompt: string;
  /** Instead of the demo model. */
  answers?: object[][];
  /** Stops the turn when this has been reported. */
  abortAt?: (event: NativeEvent) => boolean;
  deny?: boolean;
}

const CASES: { [name: string]: Case } = {
  text: { prompt: "[[text: Hello, you.]]" },
  reasoning: { prompt: "[[think: Let me see.]] [[text: Seen.]]" },
  tools: { prompt: "[[say: Looking. ]] [[shell: echo one; sleep 0.25; echo two]] [[tool write {\"path\": \"a.txt\", \"content\": \"hi\"}]] [[text: Done.]]" },
  "parallel-tools": { prompt: "[[tools: glob {\"pattern\": \"*\"} ; read {\"path\": \"missing.txt\"}]] [[text: Done.]]" },
  "denied-tool": { prompt: "[[shell: rm -rf .]] [[text: Then not.]]", deny: true },
  "bad-arguments": { prompt: "", answers: [[callChunk(0, "call_a", "read", { offset: "three" }), chunk({}, "tool_calls")], [chunk({ content: "Sorry." }, "stop")]] },
  "unknown-tool": { prompt: "", answers: [[callChunk(0, "call_a", "fly", {}), chunk({}, "tool_calls")], [chunk({ content: "Sorry." }, "stop")]] },
  "repeated-ids": { prompt: "", answers: [[callChunk(0, "call_0", "glob", { pattern: "*" }), chunk({}, "tool_calls")], [callChunk(0, "call_0", "glob", { pattern: "*" }), chunk({}, "tool_calls")], [chunk({ content: "Done." }, "stop")]] },
  "no-usage": { prompt: "", answers: [[chunk({ content: "Free." }, "stop")]] },
  "cut-off-at-limit": { prompt: "", answers: [[chunk({ content: "This is too l" }, "length")]] },
  retried: { prompt: "[[err: 500 x1]] [[text: At last.]]" },
  "auth-error": { prompt: "[[err: 401]]" },
  "rate-limited": { prompt: "[[err: 429]]" },
  "cut-stream": { prompt: "[[cut: These words never all arrive.]]" },
  "aborted-text": { prompt: "[[slow: 0.05]] [[text: one two three four five six seven eight]]", abortAt: (event) => event.type === "message_update" && event.assistantMessageEvent.type === "text_delta" },
  "aborted-tool": { prompt: "[[shell: echo started; sleep 60]] [[text: never]]", abortAt: (event) => event.type === "tool_execution_update" && callDetails(event.partialResult.details)?.beeuni === "progress" },
};

for (const [name, recipe] of Object.entries(CASES)) {
  const events = await record(recipe);
  await mkdir(FIXTURES, { recursive: true });
  await writeFile(join(FIXTURES, `${name}.jsonl`), events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  await writeFile(join(FIXTURES, `${name}.expected.json`), `${JSON.stringify(translated(events), null, 1)}\n`);
  console.log(`${name}: ${events.length} events`);
}

async function record({ prompt, answers, abortAt, deny = false }: Case): Promise<RecordedEvent[]> {
  const folders = await makeFolders();
  const server = answers === undefined ? await createFauxServer() : await startChunkServer(...answers);
  const endpoint = endpointAt(`${server.url.replace(/\/v1$/, "")}`);
  const agent = agentSpec();
  const turn: ActiveTurn = { id: "trn_1", agent, model: DEMO, sampling: samplingOf(endpoint.models[0]!, agent, null), stepsTaken: 0 };
  const host = new RecordingHost(deny ? { authorize: () => ({ allow: false, kind: "denied", message: "The project policy denies this bash call." }) } : {});
  const resources = new CallResources();
  const native = await startPi(sessionSpec(folders, { endpoint, toolchainDir: toolchainFolder(pi) }), { retries: 1, retryDelayMs: 20 }, {
    host, resources, turn: () => turn, isHidden: () => false, systemPrompt: () => systemPrompt(agent, agentSet()),
  });
  const session = await native.startSession([]);
  const events: RecordedEvent[] = [];
  session.subscribe((event) => {
    events.push({ at: Date.now(), event: trimmed(event) });
    if (abortAt?.(event) === true) void session.abort();
  });
  await session.prompt(prompt === "" ? "go" : prompt, { expandPromptTemplates: false });
  session.dispose();
  await resources.close();
  await native.close();
  await server.close();
  await folders.dispose();
  const start = events[0]!.at;
  const text = JSON.stringify(events.map(({ at, event }) => ({ at: at - start, event })));
  return JSON.parse(text.replaceAll(folders.workspace, "/workspace").replaceAll(folders.stateDir, "/state")) as RecordedEvent[];
}

/** A copy of its moment: Pi goes on to write into what it reported. Left out is what repeats: the message so far, the transcript. */
function trimmed(event: NativeEvent): NativeEvent {
  if (event.type === "message_update") {
    const { partial: _partial, ...update } = event.assistantMessageEvent as typeof event.assistantMessageEvent & { partial?: unknown };
    return structuredClone({ type: event.type, assistantMessageEvent: update }) as NativeEvent;
  }
  if (event.type === "agent_end") return structuredClone({ type: event.type, willRetry: event.willRetry }) as NativeEvent;
  if ((event.type === "message_start" || event.type === "message_end") && event.message.role === "system") {
    return { type: event.type, message: { role: "system", content: "", timestamp: 0 } };
  }
  return structuredClone(event);
}
