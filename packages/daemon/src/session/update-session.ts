import type { UpdateSession } from "@beeuni/protocol";
import type { NewEvent } from "@beeuni/transcript";
import { type LogFs, openSessionLog } from "@beeuni/transcript/log";

export function updateEvent(session: string, { title, archivedAt }: UpdateSession): NewEvent {
  return { type: "session.updated", session, patch: { ...(title === undefined ? {} : { title }), ...(archivedAt === undefined ? {} : { archivedAt }) } };
}

/** Changes a session that is not open, without starting its harness. Throws `session_locked` while another process has it open. */
export async function updateClosedSession(directory: string, session: string, patch: UpdateSession, fs?: LogFs): Promise<void> {
  const log = await openSessionLog(directory, fs === undefined ? {} : { fs });
  try {
    log.append(updateEvent(session, patch));
    await log.flushed();
  } finally {
    await log.close();
  }
}
