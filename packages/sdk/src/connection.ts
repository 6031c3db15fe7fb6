import { HEARTBEAT_SECONDS } from "@beeuni/protocol";
// eventsource-parser: a pure parser of server-sent events, the same in Node and in the browser.
import { createParser, type EventSourceMessage } from "eventsource-parser";

/**
 * The messages of one connection, as many at once as arrive at once. Ends when the server ends it or after three missed
 * heartbeats; throws when the connection breaks. `onRetry` gets the server's wish for the pause before the next one.
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>, onRetry: (milliseconds: number) => void, silence = 3 * HEARTBEAT_SECONDS * 1000,
): AsyncGenerator<EventSourceMessage[], void, undefined> {
  const reader = body.getReader();
  const text = new TextDecoder();
  let messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message), onRetry });
  try {
    for (;;) {
      // Cancelling makes the pending read end.
      const timer = setTimeout(() => void reader.cancel().catch(() => {}), silence);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      parser.feed(text.decode(value, { stream: true }));
      if (messages.length > 0) yield messages;
      messages = [];
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
