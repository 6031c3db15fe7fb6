// A process of its own, with a HOME that is full of traps: runs two turns on Pi and reports, as one JSON line, where it
// connected to and what was left open after the close.
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { prompt, RecordingHost } from "@beeuni/conformance";
import type { SessionSpec } from "@beeuni/harness";
import { createPi } from "../index.ts";

const { spec } = JSON.parse(process.argv[2]!) as { spec: SessionSpec };
const contacted = new Set<string>();
subscribe("net.client.socket", (message) => {
  const { socket } = message as { socket: Socket };
  let isConnected = false;
  socket.once("connect", () => {
    isConnected = true;
    contacted.add(`${socket.remoteAddress}:${socket.remotePort}`);
  });
  // The pool ends its connections with an error of its own when it is closed.
  socket.once("error", (error) => { if (!isConnected) contacted.add(`tried: ${error.message}`); });
});
/** Standard streams are this script's own. */
const resources = (): string[] => process.getActiveResourcesInfo().filter((kind) => !["TTYWrap", "PipeWrap", "Immediate", "CloseReq"].includes(kind)).sort();

const before = resources();
const host = new RecordingHost();
const session = await createPi().open(spec, host);
const ends = [];
for (const text of ["[[tool glob {\"pattern\": \"*\"}]] [[shell: (sleep 300 &) ; echo hi]] [[text: one]]", "[[text: two]]"]) ends.push(await session.turn(prompt(text)));
await session.close();
await new Promise((resolve) => setImmediate(resolve));
process.stdout.write(`${JSON.stringify({ ends, contacted: [...contacted], before, after: resources() })}\n`);
