/** Calls of one message run at the same time: changes of one file wait for each other. */
const queues = new Map<string, Promise<unknown>>();

export async function withFileLock<T>(path: string, change: () => Promise<T>): Promise<T> {
  const before = queues.get(path) ?? Promise.resolve();
  const mine = before.then(change, change);
  const settled = mine.catch(() => {});
  queues.set(path, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(path) === settled) queues.delete(path);
  }
}
