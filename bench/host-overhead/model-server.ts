// The scripted model in a process of its own: what it costs counts for neither side. Ends with its stdin.
import { createFauxServer } from "@beeuni/gateway/faux";

const server = await createFauxServer();
console.log(server.url);
process.stdin.resume().on("end", () => void server.close());
