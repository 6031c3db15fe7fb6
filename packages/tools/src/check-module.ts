import type { Json } from "@beeuni/protocol";
import type { ToolModule } from "./tool.ts";

/** What is wrong with a module's default export as a tool, or the tool. */
export function checkToolModule(exported: unknown): { module: ToolModule } | { error: string } {
  if (!isObject(exported)) return { error: "the module has no default export object" };
  const { description, parameters, execute } = exported;
  if (typeof description !== "string" || description.trim() === "") return { error: "`description` must be a non-empty string" };
  if (!isObject(parameters) || parameters["type"] !== "object") {
    return { error: "`parameters` must be a JSON Schema object (`{ type: \"object\", properties: { … } }`)" };
  }
  if (typeof execute !== "function") return { error: "`execute(args, context)` must be a function" };
  return {
    module: {
      description,
      parameters: parameters as { [key: string]: Json },
      // Called on its own object, so that a module may use `this`.
      execute: (args, context) => Reflect.apply(execute, exported, [args, context]) as unknown,
    },
  };
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
