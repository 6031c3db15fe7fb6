import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { gatewayFetch } from "./gateway-fetch.ts";

test("[H-152] model calls go to the session's root at the gateway and nowhere else, redirects included", async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url!);
    if (request.url!.endsWith("/away")) response.writeHead(307, { location: "/elsewhere" }).end();
    else response.end("hi");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { fetch, close } = gatewayFetch(`${origin}/s/token`);
  try {
    assert.equal(await (await fetch(`${origin}/s/token/v1/x`)).text(), "hi");
    for (const url of [`${origin}/s/other/v1/x`, `${origin}/s/token/../other`, `${origin}/s/tokenx`, "https://api.example.com/v1", new URL("http://127.0.0.1:9/s/token/v1")]) {
      await assert.rejects(fetch(url), /refused: model calls go to the session's gateway only/);
    }
    await assert.rejects(fetch(`${origin}/s/token/away`));
    assert.deepEqual(seen, ["/s/token/v1/x", "/s/token/away"]);
  } finally {
    await close();
    await new Promise((resolve) => server.close(resolve));
  }
});
