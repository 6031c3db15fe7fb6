// Runs as a process of its own: `node tcp-recorder-process.ts <target port> <folder>`. Forwards TCP connections and
// writes what each side sent to `<folder>/<n>.request` and `<folder>/<n>.response`, before it passes it on. Prints its port.
import { appendFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";

const target = Number(process.argv[2]);
const folder = process.argv[3]!;
let count = 0;

const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
  const name = join(folder, String(count++).padStart(4, "0"));
  const upstream = connect({ port: target, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  for (const [from, to, file] of [[client, upstream, `${name}.request`], [upstream, client, `${name}.response`]] as const) {
    writeFileSync(file, "");
    from.on("data", (chunk) => {
      appendFileSync(file, chunk);
      to.write(chunk);
    });
    from.on("end", () => to.end());
    from.on("close", () => to.destroySoon());
    from.on("error", () => to.destroy());
  }
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.on("disconnect", () => process.exit());
