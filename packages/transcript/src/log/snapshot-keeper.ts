import type { FileHandle } from "node:fs/promises";
import type { Draft } from "../fold/draft.ts";
import type { LogFs } from "./files.ts";
import type { LoadedLog } from "./load.ts";
import type { LinePosition } from "./scan.ts";
import { writeSnapshot } from "./snapshot.ts";

/** Most events that an opening has to fold on top of a snapshot, as long as the state is small. */
export const SNAPSHOT_EVENTS = 4000;
/** Fewer than this are not worth a snapshot at closing. */
const CLOSING_EVENTS = 200;

/**
 * Decides when a fold snapshot is worth its write: after 4,000 events, and not before the log has grown by half of what
 * the last snapshot took, so that a long session doesn't spend its time writing itself again and again.
 */
export class SnapshotKeeper {
  readonly #fs: LogFs;
  readonly #path: string;
  readonly #log: FileHandle;
  #last: { at: LinePosition; bytes: number };
  #end: LinePosition;
  #lineLength: number;
  #writing: Promise<void> | null = null;

  constructor(fs: LogFs, path: string, log: FileHandle, { snapshot, end, lastLength }: Pick<LoadedLog, "snapshot" | "end" | "lastLength">) {
    this.#fs = fs;
    this.#path = path;
    this.#log = log;
    this.#last = snapshot;
    this.#end = end;
    this.#lineLength = lastLength;
  }

  /** These lines are on the disk. Writes a snapshot if it is time and nothing else is appended meanwhile. */
  durable(positions: readonly LinePosition[], draft: Draft): void {
    for (const position of positions) {
      this.#lineLength = position.offset - this.#end.offset - 1;
      this.#end = position;
    }
    const events = this.#end.seq - this.#last.at.seq;
    const isDue = events >= SNAPSHOT_EVENTS && this.#end.offset - this.#last.at.offset >= this.#last.bytes / 2;
    if (isDue && this.#writing === null) this.#write(draft);
  }

  /** The snapshot at closing, when it spares the next opening something. */
  async finish(draft: Draft): Promise<void> {
    await this.#writing;
    if (this.#end.seq - this.#last.at.seq >= CLOSING_EVENTS) this.#write(draft);
    await this.#writing;
  }

  #write(draft: Draft): void {
    // Only a state that is on the disk whole; under load there is a next time.
    if (draft.peek.seq !== this.#end.seq) return;
    const at = this.#end;
    const done = (bytes: number): void => {
      this.#last = { at, bytes };
    };
    // A failure costs the next opening some time, no more; trying again at once would not help.
    this.#writing = writeSnapshot(this.#fs, this.#path, this.#log, at, this.#lineLength, draft.take())
      .then(done, () => done(this.#last.bytes))
      .finally(() => {
        this.#writing = null;
      });
  }
}
