import type { SupportKey, SupportLevel } from "@beeuni/protocol";
import type { Kit } from "../kit.ts";

/** A level that can be proven. */
export type Provable = Exclude<SupportLevel, "none">;

/** The proof of one cell of the support table. */
export interface Cell {
  key: SupportKey;
  /** What holds for a user when it passes. */
  title: string;
  /** Fails (throws) when the harness does not offer the cell at `level`. */
  prove: (kit: Kit, level: Provable) => Promise<void>;
}
