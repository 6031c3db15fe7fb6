/** A `fetch` whose event streams break: at random bytes and times, and with frames that come twice. */
export interface DroppingFetch {
  readonly fetch: typeof fetch;
  /** Connections that were broken so far. */
  readonly drops: number;
  /** From now on nothing breaks. */
  calm(): void;
}

/** `random` answers numbers from 0 to 1. */
export function droppingFetch(random: () => number): DroppingFetch {
  let drops = 0;
  let isCalm = false;
  /** Frames of the connection before. */
  let sent: string[] = [];

  const broken = async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    if (isCalm || !String(input).includes("/beeuni/events")) return response;
    const reader = response.body!.getReader();
    const timer = Promise.withResolvers<"late">();
    const timeout = setTimeout(() => timer.resolve("late"), 5 + random() * 60);
    const cursor = new Headers(init?.headers).get("last-event-id");
    const taken = cursor === null ? -1 : sent.findLastIndex((frame) => frame.includes(`\nid: ${cursor}\n`));
    const again = sent.slice(Math.max(0, taken - 3), taken + 1).join("");
    let left = Math.floor(random() * 8000);
    const seen: string[] = [];
    const decoder = new TextDecoder();
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        // A short pause between attempts, as a server may ask for; then again what the client has taken.
        controller.enqueue(new TextEncoder().encode(`retry: 10\n\n${again}`));
      },
      async pull(controller) {
        const next = reader.read();
        const first = await Promise.race([next, timer.promise]);
        const isLate = first === "late" && !isCalm;
        const read = first === "late" ? (isLate ? { done: false as const, value: new Uint8Array(0) } : await next) : first;
        if (read.done) return controller.close();
        const isCut = !isCalm && (isLate || read.value.length > left);
        const chunk = isCut ? read.value.subarray(0, left) : read.value;
        left -= chunk.length;
        seen.push(decoder.decode(chunk, { stream: true }));
        if (chunk.length > 0) controller.enqueue(chunk);
        if (!isCut) return;
        drops++;
        clearTimeout(timeout);
        sent = seen.join("").split(/(?<=\n\n)/).slice(0, -1);
        await reader.cancel().catch(() => {});
        controller.error(new TypeError("terminated"));
      },
      cancel: () => reader.cancel(),
    }, { highWaterMark: 0 });
    return new Response(stream, { status: response.status, headers: response.headers });
  };
  return { fetch: broken as typeof fetch, get drops() { return drops; }, calm: () => { isCalm = true; } };
}
