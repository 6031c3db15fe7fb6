import { parentPort } from "node:worker_threads";
import { findFiles } from "./find-files.ts";
import { searchLines } from "./search-lines.ts";
import type { SearchReply, SearchRequest } from "./search-threads.ts";

parentPort?.on("message", async (request: SearchRequest) => {
  const reply: SearchReply = await (request.kind === "find" ? findFiles(request) : searchLines(request)).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  parentPort?.postMessage(reply);
});
