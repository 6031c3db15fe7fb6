import type { HarnessDecision } from "./selection.ts";
import type { Json } from "./json.ts";
import type { SupportTable } from "./capabilities.ts";

/** `GET /beeuni/health`: always HTTP 200; `status` tells. */
export interface Health {
  daemon: "ok";
  status: "ok" | "starting" | "down" | "error";
  runtimeReady: boolean;
  version: string;
  epoch: string;
  capabilities: string[];
  harness: {
    id: string;
    version: string | null;
    state: "starting" | "ok" | "down" | "error";
    ready: boolean;
    error: string | null;
    session: { id: string | null; required: boolean };
    turn: null | { in_flight: boolean; end: "completed" | "failed" | "abandoned" | null; orphaned_prompt: boolean };
    details: { [key: string]: Json };
    support: SupportTable | null;
    decision: HarnessDecision;
  };
  config: {
    release_id: string | null;
    desired_release_id: string | null;
    source: "release" | "workspace" | "image-default";
    mode: "follow-base" | null;
    proven: boolean;
    fallback_reason: string | null;
    failed_release_id: string | null;
  };
  isolation: { level: "none" | "bubblewrap"; reason: string };
  uptime_s: number;
  directory: string;
  boot_error: string | null;
  auth: "configured" | "unconfigured";
}
