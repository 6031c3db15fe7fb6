import { liveOn } from "./afterlife.ts";
import { liveUntil, type Remains } from "./death.ts";
import { Watching } from "./person.ts";
import { Scene, type SceneOptions } from "./scene.ts";
import type { Fault } from "./serve-project.ts";
import { type KillState, stateOf } from "./states.ts";

export interface CrashOptions extends SceneOptions {
  /** What is broken in the life that dies, and in the one after it. */
  faults?: { before?: Fault; after?: Fault };
  /** The life after the death is a process of its own, too. */
  isApart?: boolean;
}

export interface Outcome {
  problems: string[];
  /** What is left of the prompt at the end, in a line. */
  left: string;
}

/** Kills a daemon at the state and lets another one go on. */
export async function crashAt(state: KillState, { faults = {}, isApart = false, ...options }: CrashOptions): Promise<Outcome> {
  using scene = new Scene(options);
  const watching = new Watching();
  const problems: string[] = [];
  let dead: Remains | null = null;
  for (const death of state.after === undefined ? [state] : [stateOf(state.after), state]) {
    const found = await liveUntil(scene, death, watching, faults.before);
    problems.push(...found.problems);
    if (found.reached !== death.name) throw new Error(`${death.name} was not reached: ${problems.join("; ")}`);
    dead = found.remains;
  }
  const end = await liveOn(scene, { dead, state, watching, fault: faults.after, isApart });
  return { problems: [...problems, ...end.problems], left: end.left };
}
