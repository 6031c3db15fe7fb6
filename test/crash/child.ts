// A life of a daemon in a process of its own, which dies by its own SIGKILL at the state that it was given. Its argument is
// the JSON of an `Order`; it tells on file descriptor 3 where it listens and what it reached. SIGTERM closes it in order.
import { flushCompileCache } from "node:module";
import { report } from "./doom.ts";
import { type Order, serveProject } from "./serve-project.ts";

const served = await serveProject(JSON.parse(process.argv[2]!) as Order);
// The process then ends by itself: nothing is left to do. Not `once`: a library that a harness brings along kills the process
// when it finds no other listener.
process.on("SIGTERM", () => void served.close());
// A process that is killed would never keep what it has compiled.
flushCompileCache();
const { url, token, gateway } = served;
report({ type: "ready", url, token, gateway });
