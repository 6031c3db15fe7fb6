import { BeeuniError, parseModelRef } from "@beeuni/protocol";

/** `--model` as it was given. Whether there is such a model is found out later. */
export function modelOption(text: string | undefined): string | undefined {
  if (text === undefined || parseModelRef(text) !== undefined) return text;
  throw new BeeuniError("usage", `"${text}" is no model`, { hint: "--model takes provider/model, for example faux/demo" });
}
