import { parentPort, workerData } from "node:worker_threads";
import { findFiles, type FindRequest } from "./find-files.ts";
import { searchLines, type LineRequest } from "./search-lines.ts";

const request = workerData as FindRequest | LineRequest;
parentPort?.postMessage(request.kind === "find" ? await findFiles(request) : await searchLines(request));
