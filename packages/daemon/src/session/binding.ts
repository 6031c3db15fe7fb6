import { readFile } from "node:fs/promises";
import { join } from "node:path";
// zod: binding.json is read from disk, where anything may stand.
import { z } from "zod";
import { writeFileAtomically } from "./atomic-file.ts";

const BindingFile = z.object({
  version: z.literal(1),
  harness: z.string(),
  /** The harness's own session id; null until it has one. */
  nativeId: z.string().nullable(),
  /** The harness's message key → our message id. */
  messages: z.record(z.string(), z.string()),
  /** The harness's key of a sub-agent's session → our session id. */
  children: z.record(z.string(), z.string()),
});
type BindingFile = z.infer<typeof BindingFile>;

export interface BindingOptions {
  /** The session's folder. */
  directory: string;
  harness: string;
  /** Told when the file has been replaced. */
  onWritten?: () => void;
  /** Told when it could not be: the session goes on, but a restart would lose the harness's own session. */
  onError?: (error: Error) => void;
}

/**
 * How long new message keys may wait for the file; the native id never waits. A key that a crash takes is missed only if the
 * harness tells that very message again, within a turn, after the restart.
 */
const COALESCE_MS = 1000;

/**
 * Which of the harness's own ids stands for which of ours, in `binding.json`. Ids are bound by the harness's stable keys,
 * never by position; the same native event seen twice is one event of ours. Part keys live in memory only: a part of a
 * message that has ended is known by its message.
 */
export class Binding {
  readonly #options: BindingOptions;
  #file: BindingFile;
  readonly #parts = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #dirty = false;
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: BindingOptions, file: BindingFile) {
    this.#options = options;
    this.#file = file;
  }

  /**
   * Opens the session's binding. One of another harness is of no use to this one: it starts empty, and `previous`
   * names the harness that had been bound.
   */
  static async open(options: BindingOptions): Promise<{ binding: Binding; previous: string | null }> {
    const found = await readBinding(options.directory);
    if (found !== null && found.harness === options.harness) return { binding: new Binding(options, found), previous: found.harness };
    const empty: BindingFile = { version: 1, harness: options.harness, nativeId: null, messages: {}, children: {} };
    return { binding: new Binding(options, empty), previous: found?.harness ?? null };
  }

  get nativeId(): string | null {
    return this.#file.nativeId;
  }

  /** A native session other than the one bound before: what was bound to the old one goes with it. */
  bindNative(nativeId: string): void {
    if (nativeId === this.#file.nativeId) return;
    if (this.#file.nativeId !== null) this.#file = { ...this.#file, messages: {}, children: {} };
    this.#file.nativeId = nativeId;
    this.#touch(0);
  }

  messageOf(key: string): string | undefined {
    return this.#file.messages[key];
  }

  bindMessage(key: string, message: string): void {
    this.#file.messages[key] = message;
    this.#touch(COALESCE_MS);
  }

  partOf(key: string): string | undefined {
    return this.#parts.get(key);
  }

  bindPart(key: string, part: string): void {
    this.#parts.set(key, part);
  }

  childOf(key: string): string | undefined {
    return this.#file.children[key];
  }

  bindChild(key: string, session: string): void {
    this.#file.children[key] = session;
    this.#touch(0);
  }

  /** Resolves when the native id is on the disk. Message keys follow within a second. Never rejects; see `onError`. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Resolves when everything bound so far is on the disk. Never rejects; see `onError`. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#dirty) this.#write();
    await this.#writing;
  }

  #touch(delay: number): void {
    this.#dirty = true;
    if (delay === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#write();
    } else {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#write();
      }, delay).unref();
    }
  }

  #write(): void {
    this.#writing = this.#writing.then(async () => {
      if (!this.#dirty) return;
      this.#dirty = false;
      try {
        await writeFileAtomically(join(this.#options.directory, "binding.json"), `${JSON.stringify(this.#file)}\n`);
        this.#options.onWritten?.();
      } catch (thrown) {
        this.#dirty = true;
        this.#options.onError?.(thrown as Error);
      }
    });
  }
}

/** Null when there is none, or none that can be read: the conversation is then carried over as history. */
export async function readBinding(directory: string): Promise<BindingFile | null> {
  try {
    return BindingFile.parse(JSON.parse(await readFile(join(directory, "binding.json"), "utf8")));
  } catch {
    return null;
  }
}
