// Records what the real program reports into test/fixtures/wire/opencode@<version>/, and what `translate.ts` makes of it. Run it
// after a change of the pinned version, and read the difference: node packages/adapters/src/opencode/testing/record-wire.ts [case …]
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentSet, agentSpec, COMMAND_ENV, endpointAt, makeFolders, sessionSpec, toolchainFolder } from "@beeuni/conformance";
import { createFauxServer } from "@beeuni/gateway/faux";
import type { Authorization } from "@beeuni/harness";
import { Bridge } from "../bridge.ts";
import { EventStream } from "../event-stream.ts";
import { opencode } from "../index.ts";
import { layOut, startServer, writeFiles } from "../launch.ts";
import { retryError } from "../model-error.ts";
import { ascendingId } from "../native-ids.ts";
import type { NativeEvent, NativeSession } from "../native-events.ts";
import { DEFAULT_OPTIONS } from "../options.ts";
import { Waiter } from "../waiter.ts";
import { FIXTURES, translated, type Recorded } from "./wire-fixtures.ts";

interface Case {
  prompt?: string;
  decide?: (tool: string) => Authorization;
  /** Stops the turn when this has been reported. */
  abortAt?: (event: NativeEvent) => boolean;
  /** Stops it when the model call is tried again so often. */
  giveUpAfter?: number;
  /** Instead of a prompt of ours. */
  instead?: (post: (path: string, body: object) => Promise<unknown>) => Promise<unknown>;
  isQuiet?: boolean;
}

const deny: Authorization = { allow: false, kind: "denied", message: "The project policy denies this bash call." };
const task = (prompt: string): string => `[[tool task ${JSON.stringify({ description: "help", prompt, subagent_type: "helper" })}]] [[text: Done.]]`;
const QUESTIONS = { questions: [{ header: "Colour", question: "Which one?", options: [{ label: "red", description: "warm" }, { label: "blue", description: "cold" }], multiple: true }] };
const isDelta = (event: NativeEvent): boolean => event.type === "message.part.delta";
const hasOutput = (event: NativeEvent): boolean => event.type === "message.part.updated" && event.properties.part.type === "tool" &&
  event.properties.part.state.status === "running" && typeof event.properties.part.state.metadata?.["output"] === "string" && event.properties.part.state.metadata["output"] !== "";

const CASES: { [name: string]: Case } = {
  text: { prompt: "[[text: Hello, you.]]" },
  reasoning: { prompt: "[[think: Let me see.]] [[text: Seen.]]" },
  tools: { prompt: '[[say: Looking. ]] [[shell: echo one; sleep 0.3; echo two]] [[tool write {"filePath": "a.txt", "content": "hi"}]] [[text: Done.]]' },
  "parallel-tools": { prompt: '[[tools: bash {"command": "echo a"} ; read {"filePath": "missing.txt"}]] [[text: Done.]]' },
  "denied-tool": { prompt: "[[shell: rm -rf .]] [[text: Then not.]]", decide: () => deny },
  "rejected-among-two": { prompt: '[[tools: bash {"command": "echo a"} ; todowrite {"todos": []}]] [[text: Done.]]', decide: (tool) => (tool === "bash" ? { allow: false, kind: "rejected", message: "The user rejected this tool call." } : { allow: true }) },
  "host-tool": { prompt: '[[tool lookup {"word": "lamp"}]] [[text: Found.]]' },
  "host-tool-fails": { prompt: '[[tool lookup {"word": "nothing"}]] [[text: Sorry.]]' },
  "unreadable-arguments": { prompt: '[[tool! read {"filePath": 3}]] [[text: Sorry.]]' },
  "unknown-tool": { prompt: "[[tool! fly {}]] [[text: Sorry.]]" },
  question: { prompt: `[[tool question ${JSON.stringify(QUESTIONS)}]] [[text: Thanks.]]` },
  retried: { prompt: "[[err: 503 x1 after 0.1]] [[text: At last.]]" },
  "given-up": { prompt: "[[cut: These words never all arrive.]]", giveUpAfter: 1 },
  "auth-error": { prompt: "[[err: 401]]" },
  "aborted-text": { prompt: "[[slow: 0.2]] [[text: one two three four five six seven eight]]", abortAt: isDelta },
  "aborted-tool": { prompt: "[[shell: echo started; sleep 60]] [[text: never]]", abortAt: hasOutput },
  "sub-agent": { prompt: task("[[shell: echo below]] [[text: All good below.]]") },
  "sub-agent-denied": { prompt: task("[[shell: rm -rf .]] [[text: Not below.]]"), decide: (tool) => (tool === "bash" ? deny : { allow: true }) },
  "aborted-sub-agent": { prompt: task("[[shell: echo started; sleep 60]] [[text: never]]"), abortAt: hasOutput },
  "shell-turn": { instead: (post) => post("/shell", { agent: "main", command: "echo by hand" }) },
  "other-client": { instead: (post) => post("/message", { agent: "main", parts: [{ type: "text", text: "[[text: Hello there.]]" }] }) },
  compaction: { instead: (post) => post("/summarize", { providerID: "beeuni", modelID: "demo", auto: false }), isQuiet: true },
};

const READ = new Set(["session.created", "session.status", "session.error", "session.compacted", "message.updated", "message.part.updated", "message.part.delta"]);
const LOOKUP = { name: "lookup", description: "Looks a word up.", parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] } };

const folders = await makeFolders();
const faux = await createFauxServer();
const agents = agentSet({ agents: [agentSpec(), agentSpec({ name: "helper", mode: "subagent", description: "helps" })], hostTools: [LOOKUP] });
const spec = sessionSpec(folders, { endpoint: endpointAt(faux.url.replace(/\/v1$/, "")), toolchainDir: toolchainFolder(opencode), agents, commandEnv: { ...COMMAND_ENV, HOME: folders.root } });
const layout = await layOut(spec);
const news = new Waiter();
let recording: Recorded[] = [];
let seen: NativeEvent[] = [];
let current: Case = {};
const record = (entry: Recorded): void => {
  recording.push(entry);
  news.tell();
};
const bridge = await Bridge.open({
  hello: () => {},
  authorize: async ({ session, call, tool }) => {
    if (tool === "invalid") return { allow: true };
    await news.until(() => seen.some((event) => event.type === "message.part.updated" && event.properties.part.type === "tool" && event.properties.part.callID === call && event.properties.part.state.status === "running"), 5_000);
    const decision = current.decide?.(tool) ?? { allow: true };
    record(decision.allow ? { allowed: { session, call } } : { refused: { session, call, kind: decision.kind, message: decision.message } });
    return decision;
  },
  runTool: async (_name, { args }) => {
    if (args["word"] === "nothing") throw new Error("there is no such word");
    return { output: `${String(args["word"])}: a bright thing`, metadata: { from: "host" } };
  },
});
await writeFiles(layout, spec, agents, bridge);
const { server } = await startServer(layout, spec, DEFAULT_OPTIONS, { log: (_level, message) => console.error(message) });
const stream = await EventStream.open({
  api: server.api, silenceMs: 60_000, onReconnect: () => {}, onTrouble: (message) => console.error(message),
  onEvent: (event) => {
    seen.push(event);
    if (event.type === "question.asked") void server.api.post(`/question/${event.properties.id}/reply`, { answers: [["red", "blue"]] });
    if (READ.has(event.type)) record({ event });
    news.tell();
  },
});

const wanted = process.argv.slice(2);
for (const [name, recipe] of Object.entries(CASES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const entries = await runCase(recipe);
  await mkdir(FIXTURES, { recursive: true });
  await writeFile(join(FIXTURES, `${name}.jsonl`), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  await writeFile(join(FIXTURES, `${name}.expected.json`), `${JSON.stringify(translated(entries), null, 1)}\n`);
  console.log(`${name}: ${entries.length} lines`);
}
await stream.close();
await server.stop();
await bridge.close();
await faux.close();
await folders.dispose();

async function runCase(recipe: Case): Promise<Recorded[]> {
  const { id } = await server.api.post<NativeSession>("/session", { title: "recorded" });
  if (recipe.isQuiet === true) await server.api.post(`/session/${id}/message`, { agent: "main", parts: [{ type: "text", text: "[[text: Hello.]]" }] });
  await settled(id);
  [recording, seen, current] = [[], [], recipe];
  const start = Date.now();
  record({ root: id });
  if (recipe.isQuiet === true) record({ quiet: true });
  const prompt = ascendingId("msg");
  if (recipe.instead === undefined) record({ begin: prompt });
  const work = recipe.instead === undefined
    ? server.api.post(`/session/${id}/message`, { messageID: prompt, agent: "main", model: { providerID: "beeuni", modelID: "demo" }, parts: [{ type: "text", text: recipe.prompt ?? "" }] })
    : recipe.instead((path, body) => server.api.post(`/session/${id}${path}`, body));
  const stop = recipe.abortAt;
  const retries = (): number => seen.filter((event) => event.type === "session.status" && event.properties.status.type === "retry").length;
  if (stop !== undefined) await news.until(() => seen.some(stop), 20_000);
  if (recipe.giveUpAfter !== undefined) await news.until(() => retries() > recipe.giveUpAfter!, 20_000);
  if (stop !== undefined) record({ stop: true });
  if (stop !== undefined || recipe.giveUpAfter !== undefined) await server.api.post(`/session/${id}/abort`);
  await work;
  await settled(id);
  const failure = recipe.giveUpAfter === undefined ? null : retryError("Connection reset by server");
  if (recipe.instead === undefined) record({ end: { isAborted: stop !== undefined, failure } });
  return readable(recording, start);
}

/** The stream lags behind the answer. */
async function settled(session: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 400));
  await news.until(() => {
    const status = seen.findLast((event) => event.type === "session.status" && event.properties.sessionID === session);
    return status === undefined || (status.type === "session.status" && status.properties.status.type === "idle");
  }, 5_000);
}

/** The same with short ids, and without what is of this machine and this moment. */
function readable(entries: readonly Recorded[], start: number): Recorded[] {
  const ids = new Map<string, string>();
  const counts: { [prefix: string]: number } = {};
  const text = entries.map((entry) => JSON.stringify(entry)).join("\n")
    .replaceAll(layout.workspace, "/workspace").replaceAll(layout.state, "/state").replaceAll(folders.root, "/root")
    .replaceAll(/\b(ses|msg|prt|evt|que|call)_[0-9A-Za-z]{12,}/g, (id, prefix: string) => {
      if (!ids.has(id)) ids.set(id, `${prefix}_${(counts[prefix] = (counts[prefix] ?? 0) + 1)}`);
      return ids.get(id)!;
    })
    .replaceAll(/"callID":"[0-9A-Z]{26}"/g, '"callID":"shell_1"')
    .replaceAll(/"(start|end|created|completed|updated|time|next)":(\d{13})/g, (_, field: string, at: string) => `"${field}":${1_000_000 + Number(at) - start}`);
  return text.split("\n").map((line) => JSON.parse(line) as Recorded);
}
