import { applyDelta, EMPTY_TREE, type LogEvent, type PartDelta, reduce, type TreeState, wireDelta, type WireEvent, wireEvents, type WireMessage, wireMessages, wirePermission, wireQuestion, type WireSession, wireSession, type WireStatus, wireStatus } from "@beeuni/transcript";
import { eventsOf, legalSession, logEvents } from "@beeuni/transcript/testing";
import fc from "fast-check";
import assert from "node:assert/strict";
import { test } from "node:test";

const CONTEXT = { projectID: "p1", version: "1.2.3" };

/** A client as others write it: keeps what it is told, by id, and knows nothing of the log. */
class Client {
  readonly sessions = new Map<string, WireSession>();
  readonly status = new Map<string, WireStatus>();
  readonly messages = new Map<string, Map<string, WireMessage>>();
  readonly requests = new Map<string, unknown>();

  take(event: WireEvent): void {
    switch (event.type) {
      case "session.created":
      case "session.updated":
      case "session.deleted":
        this.sessions.set(event.properties.sessionID, event.properties.info);
        return;
      case "session.status":
        this.status.set(event.properties.sessionID, event.properties.status);
        return;
      case "message.updated": {
        const { info } = event.properties;
        const known = this.#of(info.sessionID);
        known.set(info.id, { info, parts: known.get(info.id)?.parts ?? [] });
        return;
      }
      case "message.removed":
        this.#of(event.properties.sessionID).delete(event.properties.messageID);
        return;
      case "message.part.updated": {
        const { part } = event.properties;
        const { parts } = this.#of(part.sessionID).get(part.messageID)!;
        const at = parts.findIndex(({ id }) => id === part.id);
        if (at === -1) parts.push(part);
        else parts[at] = part;
        parts.sort((a, b) => (a.id < b.id ? -1 : 1));
        return;
      }
      case "message.part.delta": {
        const { sessionID, messageID, partID, field, delta } = event.properties;
        const { parts } = this.#of(sessionID).get(messageID)!;
        const at = parts.findIndex(({ id }) => id === partID);
        const part = parts[at]!;
        assert.ok(part.type === "text" || part.type === "reasoning");
        parts[at] = { ...part, [field]: part.text + delta };
        return;
      }
      case "message.part.removed": {
        const { sessionID, messageID, partID } = event.properties;
        const message = this.#of(sessionID).get(messageID)!;
        message.parts = message.parts.filter(({ id }) => id !== partID);
        return;
      }
      case "permission.asked":
      case "question.asked":
        this.requests.set(event.properties.id, event.properties);
        return;
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        this.requests.delete(event.properties.requestID);
        return;
      case "session.idle":
      case "session.error":
        return;
    }
  }

  #of(session: string): Map<string, WireMessage> {
    let known = this.messages.get(session);
    if (known === undefined) this.messages.set(session, known = new Map());
    return known;
  }
}

/** What the client must have: the projection of the whole state. Times of a session that no event tells are left out. */
function expected(tree: TreeState): unknown {
  return Object.values(tree.sessions).map((session) => ({
    session: untimed(wireSession(session, CONTEXT)), status: wireStatus(session.status),
    messages: wireMessages(session).sort((a, b) => (a.info.id < b.info.id ? -1 : 1)),
    requests: [...session.permissions.map(wirePermission), ...session.questions.map(wireQuestion)].map(({ id }) => id).sort(),
  }));
}

function shown(client: Client, tree: TreeState): unknown {
  return Object.keys(tree.sessions).map((id) => ({
    session: untimed(client.sessions.get(id)!), status: client.status.get(id) ?? { type: "idle" },
    messages: [...(client.messages.get(id)?.values() ?? [])].sort((a, b) => (a.info.id < b.info.id ? -1 : 1)),
    requests: [...client.requests].filter(([, request]) => (request as { sessionID: string }).sessionID === id).map(([request]) => request).sort(),
  }));
}

/** A session's sums and its last activity are told when a turn begins and ends, not with each message. */
function untimed({ tokens: _tokens, time, ...session }: WireSession): unknown {
  return { ...session, created: time.created };
}

function steps(choices: readonly number[]): (LogEvent | PartDelta)[] {
  const all = legalSession(choices);
  const events = logEvents(eventsOf(all)).values();
  return all.map((step) => ("delta" in step ? step.delta : events.next().value!));
}

function step(tree: TreeState, event: LogEvent | PartDelta): { tree: TreeState; wire: WireEvent[] } {
  const after = event.type === "part.delta" ? applyDelta(tree, event) : reduce(tree, event);
  return { tree: after, wire: event.type === "part.delta" ? wireDelta(tree, event, after) : wireEvents(tree, event, after, CONTEXT) };
}

const choices = fc.array(fc.nat(50_000), { maxLength: 120, size: "max" });

test("a client that is told every event ends, at each of them, with the projection of the whole state", () => {
  fc.assert(fc.property(choices, (numbers) => {
    const client = new Client();
    let tree = EMPTY_TREE;
    for (const event of steps(numbers)) {
      const { tree: after, wire } = step(tree, event);
      tree = after;
      for (const told of wire) client.take(structuredClone(told));
      assert.deepEqual(shown(client, tree), expected(tree), event.type);
    }
  }), { numRuns: 60 });
});

test("control: without one kind of event the client is wrong", () => {
  const wrong = (without: WireEvent["type"]): boolean => {
    const { failed } = fc.check(fc.property(choices, (numbers) => {
      const client = new Client();
      let tree = EMPTY_TREE;
      for (const event of steps(numbers)) {
        const { tree: after, wire } = step(tree, event);
        tree = after;
        for (const told of wire) if (told.type !== without) client.take(structuredClone(told));
      }
      assert.deepEqual(shown(client, tree), expected(tree));
    }), { numRuns: 100, endOnFailure: true });
    return failed;
  };
  for (const type of ["session.updated", "session.status", "message.updated", "message.part.updated", "message.part.delta", "permission.replied", "question.replied", "question.rejected"] as const) {
    assert.ok(wrong(type), `nothing needs ${type}`);
  }
});

test("when a session is idle its sums and times are told too", () => {
  fc.assert(fc.property(choices, (numbers) => {
    const told = new Map<string, WireSession>();
    let tree = EMPTY_TREE;
    for (const event of steps(numbers)) {
      const { tree: after, wire } = step(tree, event);
      tree = after;
      for (const { type, properties } of wire) if (type === "session.created" || type === "session.updated") told.set(properties.sessionID, properties.info);
      if (event.type === "turn.ended") assert.deepEqual(told.get(event.session), wireSession(tree.sessions[event.session]!, CONTEXT));
    }
  }), { numRuns: 50 });
});

test("a session is idle once after each turn, and the last message is told before it", () => {
  fc.assert(fc.property(choices, (numbers) => {
    let tree = EMPTY_TREE;
    for (const event of steps(numbers)) {
      const { tree: after, wire } = step(tree, event);
      tree = after;
      const kinds = wire.map(({ type }) => type);
      const idle = kinds.filter((type) => type === "session.idle").length;
      assert.equal(idle, event.type === "turn.ended" && tree.sessions[event.session]!.status.type === "idle" ? 1 : 0);
      if (idle === 1) assert.equal(kinds.at(-1), "session.idle");
    }
  }), { numRuns: 50 });
});
