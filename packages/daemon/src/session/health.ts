import type { Health, HarnessDecision, TurnOutcome } from "@beeuni/protocol";
import type { HarnessHealth } from "@beeuni/harness";
import type { SessionState } from "@beeuni/transcript";

/** What a daemon is, whatever its sessions do. */
export interface DaemonFacts {
  version: string;
  directory: string;
  startedAt: number;
  isolation: Health["isolation"];
  /** Whether clients need a token. */
  hasToken: boolean;
}

export interface HealthInput extends DaemonFacts {
  epoch: string;
  capabilities: readonly string[];
  decision: HarnessDecision;
  harnessVersion: string | null;
  harness: HarnessHealth;
  support: Health["harness"]["support"];
  /** null when no session is meant, or none is open. */
  session: SessionState | null;
  bootError?: string;
  now: number;
}

const END: { [outcome in TurnOutcome]: "completed" | "failed" | "abandoned" } = {
  completed: "completed", failed: "failed", aborted: "abandoned", interrupted: "abandoned",
};

/** The health document. Pure. */
export function healthDocument(input: HealthInput): Health {
  const { harness, session } = input;
  const ready = harness.state === "ok";
  return {
    daemon: "ok",
    status: input.bootError === undefined ? harness.state : "error",
    runtimeReady: ready && input.bootError === undefined,
    version: input.version,
    epoch: input.epoch,
    capabilities: [...input.capabilities],
    harness: {
      id: input.decision.harness,
      version: input.harnessVersion,
      state: harness.state,
      ready,
      error: harness.error,
      session: { id: session?.info.id ?? null, required: false },
      turn: session === null ? null : turnOf(session),
      details: harness.details,
      support: input.support,
      decision: input.decision,
    },
    // Config releases: this daemon reads the workspace, always.
    config: {
      release_id: null, desired_release_id: null, source: "workspace", mode: null, proven: input.bootError === undefined,
      fallback_reason: null, failed_release_id: null,
    },
    isolation: input.isolation,
    uptime_s: Math.max(0, Math.round((input.now - input.startedAt) / 1000)),
    directory: input.directory,
    boot_error: input.bootError ?? null,
    auth: input.hasToken ? "configured" : "unconfigured",
  };
}

function turnOf(session: SessionState): NonNullable<Health["harness"]["turn"]> {
  const last = session.turns.at(-1);
  const isRunning = session.turns.some((turn) => turn.endedAt === undefined);
  const outcome = isRunning ? undefined : last?.outcome;
  return {
    in_flight: isRunning,
    end: outcome === undefined ? null : END[outcome],
    // The newest prompt got no answer because the process died.
    orphaned_prompt: outcome === "interrupted" && last?.prompt !== undefined,
  };
}
