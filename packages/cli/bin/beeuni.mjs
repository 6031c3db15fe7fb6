#!/usr/bin/env node
// The entry: plain JavaScript, so that `--version` costs no more than starting Node.
const words = process.argv.slice(2);
// A reader that leaves (`| head -1`) is no fault; output that is lost otherwise is one.
process.stdout.on("error", ({ code }) => {
  if (code !== "EPIPE") process.exitCode = 1;
});
if (words.length === 1 && words[0] === "--version") {
  const { readFileSync } = await import("node:fs");
  process.stdout.write(`${JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version}\n`);
} else {
  const { lightAnswer } = await import("../src/light.ts");
  const answer = lightAnswer(words);
  if (answer === undefined) await (await import("../src/main.ts")).main(words);
  else process.stdout.write(answer);
}
