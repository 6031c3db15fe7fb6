/** Keeps which states were reached and what they left; the list is printed in the end. */
export function reachedStates(after: (then: () => void) => void): Map<string, string> {
  const reached = new Map<string, string>();
  after(() => {
    const lines = [...reached].map(([name, left]) => `  ${name.padEnd(22)} ${left}\n`);
    process.stdout.write(`reached, and killed with SIGKILL there: ${reached.size} states\n${lines.join("")}`);
  });
  return reached;
}
