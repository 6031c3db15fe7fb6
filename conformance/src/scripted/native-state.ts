import { randomBytes } from "node:crypto";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { HistoryMessage } from "@beeuni/harness";

/** A message as the scripted harness keeps it. `key` is the key of its events. */
export interface Remembered extends HistoryMessage { key: string }

/**
 * The scripted harness's own session: one JSON line a message in `<state folder>/<native id>.jsonl`. It can be deleted,
 * truncated or torn by a test, as the session files of a real harness can.
 */
export class NativeState {
  readonly nativeId: string;
  readonly path: string;
  readonly messages: Remembered[];

  private constructor(nativeId: string, path: string, messages: Remembered[]) {
    this.nativeId = nativeId;
    this.path = path;
    this.messages = messages;
  }

  static async create(folder: string, history: readonly HistoryMessage[] = []): Promise<NativeState> {
    const nativeId = `scripted-${randomBytes(6).toString("hex")}`;
    const messages = history.map((message, index) => ({ key: `history.${index + 1}`, ...message }));
    const state = new NativeState(nativeId, fileOf(folder, nativeId), messages);
    await state.rewrite(messages);
    return state;
  }

  /** Null when the file is missing, torn or not what this class wrote. */
  static async load(folder: string, nativeId: string): Promise<NativeState | null> {
    const path = fileOf(folder, nativeId);
    try {
      const text = await readFile(path, "utf8");
      if (text !== "" && !text.endsWith("\n")) return null;
      const lines = text.split("\n").filter((line) => line !== "");
      return new NativeState(nativeId, path, lines.map((line) => JSON.parse(line) as Remembered));
    } catch {
      return null;
    }
  }

  async add(message: Remembered): Promise<void> {
    this.messages.push(message);
    await appendFile(this.path, `${JSON.stringify(message)}\n`);
  }

  /** Replaces the whole conversation. */
  async rewrite(messages: readonly Remembered[]): Promise<void> {
    this.messages.splice(0, this.messages.length, ...messages);
    await mkdir(dirname(this.path), { recursive: true });
    await writeFile(this.path, this.messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }
}

function fileOf(folder: string, nativeId: string): string {
  return join(folder, `${nativeId}.jsonl`);
}
