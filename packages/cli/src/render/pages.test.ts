import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call, HarnessDecision, SessionEntry } from "@beeuni/protocol";
import type { SessionState } from "@beeuni/transcript";
import { captureSink, matchesGolden } from "../testing/capture.ts";
import { callPage, callTable } from "./call.ts";
import { conversation } from "./conversation.ts";
import { decisionPage } from "./decision.ts";
import { permissionsPage } from "./permissions.ts";
import { sessionPage, sessionTable } from "./session.ts";
import { shortIds } from "./short-ids.ts";
import { width } from "./width.ts";

const now = Date.UTC(2026, 10, 30, 12);
const model = { provider: "faux", id: "demo" };
const usage = { input: 1204, output: 88, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
const id = "ses_f3a1b2c3d4e5AAAAAAAAAAAAAA";
const info = { id, title: "What is in this folder?", directory: "/home/ada/notes", agent: "build", model, harness: "pi", createdAt: now - 600_000, updatedAt: now - 240_000 };
const entries: SessionEntry[] = [
  { ...info, status: { type: "idle" }, messages: 3 },
  { ...info, id: "ses_f3a1b2c3d4f7BBBBBBBBBBBBBB", title: "Release notes for the next version, with a long title", updatedAt: now - 86_400_000, status: { type: "busy", turn: "trn_1" }, messages: 12 },
];
const session: SessionState = {
  info, deleted: false, status: { type: "idle" }, grants: [{ agent: "build", permission: "bash", pattern: "git *" }],
  turns: [
    { id: "trn_f3a1b2c3d4e5AAAAAAAAAAAAAA", session: id, origin: "user", prompt: "msg_1", agent: "build", model, startedAt: now - 600_000, endedAt: now - 597_000, outcome: "completed", usage },
    { id: "trn_f3a1b2c3d4e6AAAAAAAAAAAAAA", session: id, origin: "user", agent: "build", model, startedAt: now - 300_000, endedAt: now - 240_000, outcome: "failed", error: { code: "rate_limit", message: "429 too many requests", status: 429 }, usage: null },
  ],
  messages: [
    { info: { id: "msg_f3a1b2c3d4e5AAAAAAAAAAAAAA", session: id, role: "user", turn: "trn_1", at: now, agent: "build", model }, parts: [{ id: "prt_1", session: id, message: "msg_1", type: "text", text: "What is in this folder?", startedAt: now }] },
    {
      info: { id: "msg_f3a1b2c3d4e6AAAAAAAAAAAAAA", session: id, role: "assistant", turn: "trn_1", at: now, agent: "build", model, endedAt: now, usage },
      parts: [
        { id: "prt_2", session: id, message: "msg_2", type: "reasoning", text: "Look first.\nThen say.", startedAt: now },
        { id: "prt_3", session: id, message: "msg_2", type: "tool", tool: "bash", callId: "call_1", state: { status: "completed", input: { command: "ls" }, output: "a.txt\nb.txt\n", metadata: {}, startedAt: now, endedAt: now } },
        { id: "prt_4", session: id, message: "msg_2", type: "text", text: "Two files.\n", startedAt: now },
      ],
    },
    { info: { id: "msg_f3a1b2c3d4e7AAAAAAAAAAAAAA", session: id, role: "assistant", turn: "trn_2", at: now, agent: "build", model, endedAt: now, usage: null, error: { code: "rate_limit", message: "429 too many requests" } }, parts: [] },
  ],
  permissions: [{ id: "per_f3a1b2c3d4e5AAAAAAAAAAAAAA", session: id, turn: "trn_2", agent: "build", permission: "bash", tool: "bash", patterns: ["git push"], always: ["git push *"], metadata: { command: "git push" } }],
  questions: [],
  notices: [{ at: now, level: "warning", code: "tool_skipped", message: "tools/x.ts was skipped: it throws" }],
  opened: { epoch: "e", harnessVersion: "1.6.0", isolation: "none", rules: [{ permission: "bash", pattern: "*", action: "ask", enforcer: "host" }], decision: { harness: "pi", rule: 5, reason: "the folder has no beeuni.yaml", candidates: [] } },
};
const call: Call = {
  id: "cal_f3a1b2c3d4e5AAAAAAAAAAAAAA", number: 0, session: id, turn: "trn_1", role: "main", protocol: "chat-completions", method: "POST", target: "/s/***/v1/chat/completions", provider: "faux",
  model: { asked: "demo", served: "demo" }, status: 200, end: "complete", error: null, streamed: true, responseId: "chatcmpl-1", toolCallIds: ["call_1"], finish: "tool_calls", usage,
  startedAt: now, timing: { firstByte: 12, end: 84 }, request: { bytes: 4096, sha256: "ab".repeat(32) }, response: { bytes: 812, sha256: "cd".repeat(32), encoding: null },
  links: [{ message: "msg_f3a1b2c3d4e6AAAAAAAAAAAAAA", by: "response-id" }],
};
const cut: Call = { ...call, id: "cal_f3a1b2c3d4e6AAAAAAAAAAAAAA", number: 1, turn: null, role: "unknown", end: "cut", error: "the upstream closed the connection", usage: null, timing: { firstByte: null, end: null }, links: [] };
const decision: HarnessDecision = {
  harness: "pi", rule: 2, reason: "the project's flag pi_harness is on",
  candidates: [{ harness: "opencode", chosen: false, reason: "rule 2 came first; no adapter is installed for it" }, { harness: "pi", chosen: true, reason: "the project's flag pi_harness is on" }],
};

for (const columns of [80, 40]) {
  describe(`${columns} columns`, () => {
    const out = captureSink({ columns, terminal: true }).sink;
    const pages: Record<string, string> = {
      "session-ls": sessionTable(entries, now, out),
      "session-show": sessionPage(session, now, out),
      "session-messages": conversation(session, out),
      "call-ls": callTable([call, cut], out),
      "call-show": callPage(call, { attempts: [{ provider: "faux", upstream: "faux:", model: "demo" }], notes: [] }, out),
      "call-show-cut": callPage(cut, { attempts: [], notes: ["the body is not JSON"] }, out),
      "harness-explain": decisionPage(decision, out),
      "permission-ls": permissionsPage(session.permissions, out),
    };
    for (const [name, text] of Object.entries(pages)) test(name, () => matchesGolden(`${name}-${columns}.txt`, text));
    test("no table is wider than the terminal", () => {
      for (const name of ["session-ls", "call-ls", "harness-explain"]) for (const line of pages[name]!.split("\n")) assert.ok(width(line) <= columns, line);
    });
  });
}

test("short ids tell these ids apart and no longer", () => {
  assert.deepEqual([...shortIds(entries.map((entry) => entry.id)).values()], ["ses_f3a1b2c3d4e", "ses_f3a1b2c3d4f"]);
  assert.deepEqual([...shortIds([id]).values()], ["ses_f3a1b2c3"]);
});

test("how long a killed process worked on its turn is not made up, before and after its session is opened again", () => {
  const { endedAt: _, outcome: __, ...open } = session.turns[0]!;
  const out = captureSink().sink;
  const rows = sessionPage({ ...session, turns: [open, { ...open, outcome: "interrupted", endedAt: now }] }, now, out).split("\n").filter((line) => line.startsWith("trn_"));
  assert.deepEqual(rows.map((line) => line.split(/ {2,}/).slice(1)), [["user", "interrupted", "?"], ["user", "interrupted", "in 1,204 out 88", "?"]]);
});
