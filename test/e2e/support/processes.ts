import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process as /proc tells it. */
export interface ProcessFacts {
  pid: number;
  parent: number;
  group: number;
}

/** Every process that runs; dead ones that nobody has waited for are left out. */
export function runningProcesses(): ProcessFacts[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // pid (name) state parent group …; the name may hold anything but its last bracket.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" || state === "X" ? [] : [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
    } catch {
      return [];
    }
  });
}

/** Processes of a group. */
export function membersOf(group: number): number[] {
  return runningProcesses().filter((process) => process.group === group).map(({ pid }) => pid);
}

export function childrenOf(pid: number): number[] {
  return runningProcesses().filter(({ parent }) => parent === pid).map((process) => process.pid);
}

/** A TCP connection of this machine over IPv4 loopback, seen from the side with `localPort`. */
export interface Connection {
  localPort: number;
  remotePort: number;
  /** Processes that hold the socket. */
  owners: number[];
}

/** Connections that stand, and (with remote port 0) listeners, each with the processes that hold it. */
export function tcpSockets(): Connection[] {
  const owners = socketOwners();
  const port = (address: string): number => Number.parseInt(address.slice(address.indexOf(":") + 1), 16);
  return readFileSync("/proc/net/tcp", "utf8").trim().split("\n").slice(1).flatMap((line) => {
    const [, local = "", remote = "", state, , , , , , inode = ""] = line.trim().split(/\s+/);
    // 01: established, 0A: listening.
    return state === "01" || state === "0A" ? [{ localPort: port(local), remotePort: port(remote), owners: owners.get(inode) ?? [] }] : [];
  });
}

function socketOwners(): Map<string, number[]> {
  const owners = new Map<string, number[]>();
  for (const { pid } of runningProcesses()) {
    let names: string[] = [];
    try {
      names = readdirSync(`/proc/${pid}/fd`);
    } catch {
      // It has ended, or is somebody else's.
    }
    for (const name of names) {
      try {
        const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1];
        if (inode !== undefined) owners.set(inode, [...(owners.get(inode) ?? []), pid]);
      } catch {
        // Closed since.
      }
    }
  }
  return owners;
}
