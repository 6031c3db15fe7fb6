import { BeeuniError, toBeeuniError } from "@beeuni/protocol";
import type { ToolchainOwner } from "./types.ts";

const NO_NETWORK = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR|ENOTCACHED)\b/;

/** An install that npm could not finish: what it said last, in one error with what to do. */
export function npmFailed(owner: ToolchainOwner, output: string, directory: string): BeeuniError {
  const what = `installing ${name(owner)} failed`;
  const again = `run \`beeuni harness install ${owner.id}\``;
  const detail = output.split("\n").map((line) => `  ${line}`).join("\n");
  if (/\bENOSPC\b|no space left/i.test(output)) {
    return new BeeuniError("storage_failed", `${what}: the disk is full\n${detail}`, { hint: `free about ${owner.toolchain.megabytes} MB where ${directory} is, then ${again}` });
  }
  const network = NO_NETWORK.exec(output)?.[1];
  if (network !== undefined) {
    return new BeeuniError("install_failed", `${what}: the package registry can't be reached (${network})\n${detail}`, {
      hint: `with a network, ${again}; behind a proxy set HTTPS_PROXY first; or copy ${directory} from a machine that has it`,
    });
  }
  return new BeeuniError("install_failed", `${what}\n${detail}`, { hint: `correct the cause, then ${again}` });
}

export function notForThisMachine(owner: ToolchainOwner, why: string): BeeuniError {
  return new BeeuniError("install_failed", `${name(owner)} can't be installed: ${why}`, { hint: "choose another harness with --harness, or run on a machine that it is made for" });
}

export function npmMissing(owner: ToolchainOwner): BeeuniError {
  return new BeeuniError("install_failed", `installing ${name(owner)} failed: there is no npm beside Node or in PATH`, {
    hint: `install npm (it comes with Node.js), then run \`beeuni harness install ${owner.id}\``,
  });
}

export function wrongContent(owner: ToolchainOwner, fault: string): BeeuniError {
  return new BeeuniError("install_failed", `installing ${name(owner)} failed: npm reported success, but ${fault}`, {
    hint: `look for settings that change what npm installs (\`npm config ls\`), then run \`beeuni harness install ${owner.id}\``,
  });
}

/** Whatever else went wrong: a stop, or a folder that can't be written. */
export function installError(owner: ToolchainOwner, thrown: unknown, directory: string, signal: AbortSignal | undefined): BeeuniError {
  if (signal?.aborted === true) return new BeeuniError("aborted", `installing ${name(owner)} was stopped`, { hint: `run \`beeuni harness install ${owner.id}\``, cause: thrown });
  const code = (thrown as NodeJS.ErrnoException).code;
  if (["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST"].includes(code ?? "")) {
    return new BeeuniError("storage_failed", `installing ${name(owner)} failed: ${(thrown as Error).message}`, {
      hint: `make ${directory} writable, or set BEEUNI_TOOLCHAINS to a folder that is`, cause: thrown,
    });
  }
  return toBeeuniError(thrown);
}

function name({ id, toolchain }: ToolchainOwner): string {
  return `${id} ${toolchain.version}`;
}
