import assert from "node:assert/strict";
import { test } from "node:test";
import { BeeuniError, type TurnInfo } from "@beeuni/protocol";
import type { LogEvent, SessionState, StreamEvent } from "@beeuni/transcript";
import { answerOf, driveTurn, type TurnSession } from "./drive-turn.ts";

const turn: TurnInfo = { id: "trn_1", session: "ses_1", origin: "user", agent: "build", model: { provider: "faux", id: "demo" }, startedAt: 0, endedAt: 1, outcome: "completed" };
const notice = (seq: number): LogEvent => ({ seq, at: 0, session: "ses_1", type: "session.notice", level: "info", code: "x", message: String(seq) });

function session(parts: Partial<TurnSession> & { during?: (tell: (event: StreamEvent) => void) => void }): TurnSession & { aborted: number } {
  let listener: (event: StreamEvent) => void = () => undefined;
  const made: TurnSession & { aborted: number } = {
    id: "ses_1",
    aborted: 0,
    state: () => ({}) as SessionState,
    subscribe: (told: (event: StreamEvent) => void) => ((listener = told), () => (listener = () => undefined)),
    abort: async () => ((made.aborted += 1), true),
    earlier: async function* () {},
    prompt: async () => (parts.during?.(listener), { turn: turn.id, done: Promise.resolve(turn) }),
    ...parts,
  };
  return made;
}
const never = new AbortController().signal;
const texts = (events: StreamEvent[]): string[] => events.map((event) => (event.type === "session.notice" ? event.message : event.type));

test("what was before the subscription comes first, and nothing comes twice", async () => {
  const seen: StreamEvent[] = [];
  let tell: (event: StreamEvent) => void = () => undefined;
  const open = session({
    subscribe: (listener) => ((tell = listener), () => undefined),
    earlier: async function* () {
      // The second event reaches the listener while the first is still being read.
      tell(notice(2));
      yield notice(1);
      yield notice(2);
    },
    prompt: async () => (tell(notice(3)), { turn: turn.id, done: Promise.resolve(turn) }),
  });
  assert.equal(await driveTurn(open, { parts: [] }, { onEvent: (event) => seen.push(event), stop: never }), turn);
  assert.deepEqual(texts(seen), ["1", "2", "3"]);
});

test("text that was already under way (number 0) and deltas pass at all times", async () => {
  const seen: StreamEvent[] = [];
  const open = session({
    earlier: async function* () {
      yield notice(5);
    },
    during: (tell) => {
      tell({ seq: 0, at: 0, session: "ses_1", type: "part.snapshot", part: "prt_1", text: "so far" });
      tell({ type: "part.delta", session: "ses_1", part: "prt_1", offset: 6, delta: "!" });
      tell(notice(5));
      tell(notice(6));
    },
  });
  await driveTurn(open, { parts: [] }, { onEvent: (event) => seen.push(event), stop: never });
  assert.deepEqual(texts(seen), ["5", "part.snapshot", "part.delta", "6"]);
});

test("a stop before the prompt sends none; a stop while it is taken stops the turn", async () => {
  const early = session({ prompt: () => assert.fail("sent") });
  await assert.rejects(driveTurn(early, { parts: [] }, { onEvent: () => undefined, stop: AbortSignal.abort() }), (error) => error instanceof BeeuniError && error.exitCode === 130);
  const stop = new AbortController();
  const late = session({ during: () => stop.abort() });
  await driveTurn(late, { parts: [] }, { onEvent: () => undefined, stop: stop.signal });
  assert.equal(late.aborted, 1);
});

test("the answer is the text of the turn's last message that has any", () => {
  const message = (role: "user" | "assistant", of: string, ...parts: string[]) => ({
    info: { id: of, session: "ses_1", role, turn: of, at: 0, agent: "build", model: turn.model },
    parts: parts.map((text) => ({ id: "p", session: "ses_1", message: of, type: "text" as const, text, startedAt: 0 })),
  });
  const messages = [message("assistant", "trn_1", "old"), message("assistant", "trn_2", "first"), message("assistant", "trn_2", "last ", "words"), message("assistant", "trn_2", " "), message("user", "trn_2", "prompt")];
  assert.equal(answerOf({ messages } as unknown as SessionState, "trn_2"), "last words");
  assert.equal(answerOf({ messages } as unknown as SessionState, "trn_3"), "");
});
