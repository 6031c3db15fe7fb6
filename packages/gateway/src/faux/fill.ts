import type { Json } from "@beeuni/protocol";

type Schema = { [key: string]: Json };

/** Arguments that a JSON Schema accepts: `given`, and a plausible value for each required property that it lacks. */
export function fillObject(schema: Schema, given: { [key: string]: Json } = {}): { [key: string]: Json } {
  const properties = asSchema(schema["properties"]) ?? {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const filled: { [key: string]: Json } = { ...given };
  for (const name of required) {
    if (typeof name === "string" && !Object.hasOwn(filled, name)) filled[name] = fillValue(asSchema(properties[name]) ?? {}, name);
  }
  return filled;
}

/** A value for one property. Strings get the property's name, so that a reader sees what was made up. */
function fillValue(schema: Schema, name: string): Json {
  for (const key of ["const", "default"]) if (schema[key] !== undefined) return schema[key];
  if (Array.isArray(schema["enum"]) && schema["enum"][0] !== undefined) return schema["enum"][0];
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const first = Array.isArray(schema[key]) ? asSchema(schema[key][0]) : undefined;
    if (first !== undefined) return fillValue(first, name);
  }
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "integer":
    case "number": return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean": return false;
    case "null": return null;
    case "object": return fillObject(schema);
    case "array": return Array.from({ length: Number(schema["minItems"] ?? 0) }, () => fillValue(asSchema(schema["items"]) ?? {}, name));
    default: return name;
  }
}

export function asSchema(value: Json | undefined): Schema | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
