import { type LogFs, NODE_FS } from "@beeuni/transcript/log";

/** A file system on which a sync of the log waits for the test, or writing it fails. */
export class SlowDisk {
  /** While set, every write to a log fails with this code. */
  failure: string | null = null;
  #hold: { text: string; reached: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | null = null;
  #gate: Promise<void> | null = null;

  /** Holds the sync of the first batch from now on that has `text` in it. Resolves when it is reached; call `release` then. */
  holdAt(text: string): Promise<void> {
    this.#hold = { text, reached: Promise.withResolvers(), released: Promise.withResolvers() };
    return this.#hold.reached.promise;
  }

  release(): void {
    this.#hold?.released.resolve();
    this.#hold = null;
    this.#gate = null;
  }

  readonly fs: LogFs = {
    ...NODE_FS,
    open: (async (path: string, flags: string, mode?: number) => {
      const file = await NODE_FS.open(path, flags, mode);
      if (!path.endsWith("log.jsonl")) return file;
      return new Proxy(file, {
        get: (target, name) => {
          if (name === "write") return async (bytes: Buffer, offset: number, length: number, position: number) => {
            this.#fail();
            if (this.#hold !== null && this.#gate === null && bytes.includes(this.#hold.text)) this.#gate = this.#hold.released.promise;
            return await target.write(bytes, offset, length, position);
          };
          if (name === "datasync") return async () => {
            if (this.#gate !== null) this.#hold?.reached.resolve();
            await this.#gate;
            this.#fail();
            await target.datasync();
          };
          const value = Reflect.get(target, name) as unknown;
          return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
        },
      });
    }) as LogFs["open"],
  };

  #fail(): void {
    if (this.failure !== null) throw Object.assign(new Error(this.failure), { code: this.failure });
  }
}
