// A process of its own that opens a session on Pi, runs turns, and is killed by whoever started it.
// Arguments: a JSON of { spec, prompts }. Prints one JSON line for each event of the harness.
import { RecordingHost, prompt } from "@beeuni/conformance";
import type { SessionSpec } from "@beeuni/harness";
import { createPi } from "../index.ts";

const { spec, prompts } = JSON.parse(process.argv[2]!) as { spec: SessionSpec; prompts: string[] };
const host = new RecordingHost();
const emit = host.emit.bind(host);
host.emit = (event) => {
  emit(event);
  process.stdout.write(`${JSON.stringify(event)}\n`);
};
const session = await createPi().open(spec, host);
for (const text of prompts) await session.turn(prompt(text));
