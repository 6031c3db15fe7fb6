import { BeeuniError, newId, type QuestionItem, type QuestionRequest } from "@beeuni/protocol";
import type { ToolCallRef } from "@beeuni/harness";
import type { ToolPart } from "@beeuni/transcript";
import type { ActiveTurn } from "./active-turn.ts";
import type { Checkpoint } from "./checkpoints.ts";
import type { Journal } from "./journal.ts";

export interface QuestionPorts {
  journal: Journal;
  checkpoint: Checkpoint;
  partOf: (callId: string) => ToolPart | undefined;
  headless: boolean;
}

/** Questions that the agent puts to a person. Asked and answered in the log before anybody acts on it. */
export class Questions {
  readonly #ports: QuestionPorts;
  readonly #waiting = new Map<string, PromiseWithResolvers<string[][]>>();

  constructor(ports: QuestionPorts) {
    this.#ports = ports;
  }

  /** One list of answers per question. Rejects with `denied` when they are dismissed, with `aborted` when the turn is stopped. */
  async ask(call: ToolCallRef, questions: QuestionItem[], turn: ActiveTurn | undefined): Promise<string[][]> {
    const { journal, checkpoint, partOf, headless } = this.#ports;
    if (turn === undefined || turn.stop.signal.aborted) throw stopped();
    const part = partOf(call.callId);
    const request: QuestionRequest = {
      id: newId("que"), session: turn.session, turn: turn.id, questions,
      ...(part === undefined ? {} : { call: { message: part.message, part: part.id, callId: part.callId } }),
    };
    journal.append({ type: "question.asked", session: journal.session, request });
    if (headless) {
      journal.append({ type: "question.rejected", session: journal.session, id: request.id, by: "headless" });
      await journal.flushed();
      throw new BeeuniError("denied", "The question was dismissed: nobody is there to answer it.");
    }
    const answer = Promise.withResolvers<string[][]>();
    this.#waiting.set(request.id, answer);
    journal.whenFlushed(() => checkpoint("question-asked"));
    return await answer.promise;
  }

  /** Throws `not_found`, or `invalid_request` when the answers don't fit the questions. Resolves when it is on the disk. */
  async reply(id: string, answers: string[][]): Promise<void> {
    const { journal } = this.#ports;
    const problems = problemsOf(this.#open(id).questions, answers);
    if (problems.length > 0) throw new BeeuniError("invalid_request", problems.join("; "), { hint: "give one list of answers per question, in their order" });
    journal.append({ type: "question.replied", session: journal.session, id, answers });
    await journal.flushed();
    this.#take(id)?.resolve(answers);
  }

  /** A person dismisses the questions. Throws `not_found`. Resolves when it is on the disk. */
  async reject(id: string): Promise<void> {
    const { journal } = this.#ports;
    this.#open(id);
    journal.append({ type: "question.rejected", session: journal.session, id, by: "client" });
    await journal.flushed();
    this.#take(id)?.reject(new BeeuniError("denied", "The user dismissed the question."));
  }

  /** Rejects every open question of the given turn (of all turns when left out), because it is stopped. */
  rejectAll(turn?: string): void {
    const { journal } = this.#ports;
    for (const { id, turn: asked } of [...journal.state.questions]) {
      if (turn !== undefined && asked !== turn) continue;
      journal.append({ type: "question.rejected", session: journal.session, id, by: "abort" });
      this.#take(id)?.reject(stopped());
    }
  }

  /** The log is gone or the session closes. */
  dropAll(): void {
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(stopped());
  }

  #open(id: string): QuestionRequest {
    const request = this.#ports.journal.state.questions.find((open) => open.id === id);
    if (request !== undefined) return request;
    throw new BeeuniError("not_found", `there is no open question ${id}: it was answered, or its turn ended`);
  }

  #take(id: string): PromiseWithResolvers<string[][]> | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

function stopped(): BeeuniError {
  return new BeeuniError("aborted", "The question was stopped before it was answered.");
}

function problemsOf(questions: readonly QuestionItem[], answers: readonly string[][]): string[] {
  if (answers.length !== questions.length) {
    return [`answers: ${questions.length} ${questions.length === 1 ? "list is" : "lists are"} needed, one per question (got ${answers.length})`];
  }
  return questions.flatMap(({ header, multiple }, index) =>
    multiple !== true && answers[index]!.length > 1 ? [`answers[${index}]: "${header}" takes one answer`] : []);
}
