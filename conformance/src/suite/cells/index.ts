import type { Cell } from "./cell.ts";
import { history, resume } from "./memory.ts";
import { sampling, wire } from "./model.ts";
import { ask, deny } from "./permissions.ts";
import { abort, stream } from "./running.ts";
import { hostTools, steps, subagents } from "./tools.ts";

/** One proof for each cell of the support table, in the table's order. */
export const CELLS: readonly Cell[] = [stream, abort, resume, ask, deny, hostTools, history, sampling, steps, subagents, wire];

export type { Cell, Provable } from "./cell.ts";
