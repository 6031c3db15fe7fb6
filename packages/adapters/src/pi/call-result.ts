import type { Json } from "@beeuni/protocol";
import type { ToolFailure } from "@beeuni/transcript";

/**
 * What our tools put into the `details` of Pi's tool results and updates, for `translate.ts`: Pi itself knows an error's
 * text only.
 */
export type CallDetails =
  | { beeuni: "started" }
  | { beeuni: "progress"; metadata: { [key: string]: Json } }
  | { beeuni: "done"; metadata: { [key: string]: Json } }
  | { beeuni: "failed"; kind: ToolFailure; metadata: { [key: string]: Json } };

export function callDetails(details: unknown): CallDetails | null {
  return typeof details === "object" && details !== null && "beeuni" in details ? (details as CallDetails) : null;
}
