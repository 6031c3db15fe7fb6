import { homeDirectory, prepareHome } from "../compose/home.ts";
import { openRunSession } from "../compose/run-session.ts";
import type { RunCommand } from "../main.ts";
import { AnswerFile } from "../run/answer-file.ts";
import { answerOf, driveTurn } from "../run/drive-turn.ts";
import { INTERRUPTED, watchInterrupts } from "../run/interrupt.ts";
import { runOptions } from "../run/options.ts";
import { runOutput } from "../run/output.ts";
import { readPrompt } from "../run/prompt-text.ts";
import type { RunResult } from "../run/result.ts";
import { turnFailure } from "../run/turn-failure.ts";

const run: RunCommand = async (invocation, io) => {
  const options = runOptions(invocation);
  const prompt = await readPrompt(invocation.arguments[0], invocation.text("file"), io);
  const answerFile = options.output === undefined ? undefined : await AnswerFile.prepare(options.output, io.cwd);
  const home = homeDirectory(io.env);
  await prepareHome(home);

  using interrupts = watchInterrupts();
  const stop = AbortSignal.any([interrupts.signal, io.outputGone]);
  const session = await openRunSession({ options, prompt, home, io, stop });
  try {
    const output = runOutput(options.mode, session.id, io);
    interrupts.signal.addEventListener("abort", () => output.note("stopping; Ctrl-C again leaves at once"));
    for (const notice of session.notices) output.note(notice);
    const turn = await driveTurn(session, { parts: [{ type: "text", text: prompt }] }, { onEvent: output.event, stop });
    // Nobody reads any more (`| head -1`): the turn is stopped, and there is nobody to tell.
    if (io.outputGone.aborted) return INTERRUPTED;

    const state = session.state();
    const result: RunResult = { session: state.info, turn, answer: answerOf(state, turn.id), resume: `beeuni run -r ${session.id}` };
    output.end(result, state);
    const failure = turnFailure(turn, result.resume);
    if (failure !== undefined) throw failure;
    await answerFile?.write(result.answer);
    return 0;
  } finally {
    await session.close();
  }
};
export default run;
