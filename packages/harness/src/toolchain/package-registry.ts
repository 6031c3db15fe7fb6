import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

export interface FixturePackage {
  name: string;
  version: string;
  files: { [path: string]: string };
  /** What the registry calls it, when that differs from its own package.json. */
  listedVersion?: string;
}

/** A package registry on loopback for tests. `holdTarballs` leaves requests for packages unanswered. */
export async function packageRegistry(packages: readonly FixturePackage[]): Promise<Registry> {
  const tarballs = new Map(packages.map((entry) => [`/tarballs/${entry.name}`, gzipSync(tar(entry))]));
  const served: string[] = [];
  const held: ServerResponse[] = [];
  let isHolding = false;
  let arrived = (): void => {};
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    served.push(path);
    const tarball = tarballs.get(path);
    if (tarball !== undefined) {
      if (isHolding) {
        held.push(response);
        arrived();
      } else response.end(tarball);
      return;
    }
    const entry = packages.find(({ name }) => path === `/${name}`);
    response.setHeader("content-type", "application/json");
    response.statusCode = entry === undefined ? 404 : 200;
    response.end(JSON.stringify(entry === undefined ? {} : packument(entry, url, tarballs.get(`/tarballs/${entry.name}`)!)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url, served,
    holdTarballs() {
      isHolding = true;
      return new Promise<void>((resolve) => { arrived = resolve; });
    },
    release() {
      isHolding = false;
      for (const response of held.splice(0)) response.writeHead(404).end();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export interface Registry extends AsyncDisposable {
  url: string;
  /** Paths of all requests so far. */
  served: string[];
  /** From now on package requests hang; resolves when one hangs. */
  holdTarballs(): Promise<void>;
  /** Ends what hangs with 404 and serves again. */
  release(): void;
}

function packument({ name, version, listedVersion = version }: FixturePackage, url: string, tarball: Buffer): unknown {
  const dist = { tarball: `${url}/tarballs/${name}`, integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}` };
  return { name, "dist-tags": { latest: listedVersion }, versions: { [listedVersion]: { name, version: listedVersion, dist } } };
}

/** A package as npm packs it: everything below `package/`. */
function tar({ name, version, files }: FixturePackage): Buffer {
  const all = { "package.json": JSON.stringify({ name, version, scripts: { postinstall: "node -e \"require('fs').writeFileSync('ran', '')\"" } }), ...files };
  const blocks = Object.entries(all).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(`package/${path}`, 0);
    header.write(["0000644", "0000000", "0000000", ""].join("\0"), 100);
    header.write(`${content.length.toString(8).padStart(11, "0")}\0${"0".repeat(11)}\0        0`, 124);
    header.write(["ustar", "00"].join("\0"), 257);
    header.write(`${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
