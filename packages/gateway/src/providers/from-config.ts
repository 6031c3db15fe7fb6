import { nearNames, type Issue, type ModelProtocol } from "@beeuni/protocol";
import type { z } from "zod";
import type { Provider, ProviderModel } from "../types.ts";
import { readBaseUrl } from "./base-url.ts";
import type { ConfigDocument, Path } from "./config-document.ts";
import { FOREIGN_MODEL_KEYS, FOREIGN_PROVIDER_KEYS, ModelConfig, PROTOCOL_NAMES, ProviderConfig } from "./config-schema.ts";
import { credentialOf } from "./credential.ts";
import { effortVariants, KNOWN_PROVIDERS, type KnownProvider } from "./known.ts";
import { readSecret, secretRef, type Environment } from "./secret.ts";

const ROOT: Path = ["models", "providers"];

/** The providers of a configuration. One with an error is left out; `problems` says why, for all of them at once. */
export function providersFromConfig(document: ConfigDocument, env: Environment, problems: Issue[]): Provider[] {
  if (!isObject(document.get([]))) {
    problems.push({ ...document.problem([], "must be an object, e.g. { models: { providers: { … } } }", "error"), path: "<json5>" });
    return [];
  }
  problems.push(...misspelled(document));
  const entries = document.get(ROOT);
  if (entries === undefined) return [];
  if (!isObject(entries)) {
    problems.push(document.problem(ROOT, "must be an object of providers by id", "error"));
    return [];
  }
  return Object.entries(entries).flatMap(([id, entry]) => new ProviderReader(document, env, problems, id).read(entry) ?? []);
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names on the way to the providers that are nearly right. The file may hold more than ours, so other names are left alone. */
function misspelled(document: ConfigDocument): Issue[] {
  return ROOT.flatMap((name, depth) => {
    const path = ROOT.slice(0, depth);
    const keys = Object.keys(document.get(path) ?? {});
    if (keys.includes(String(name))) return [];
    return keys
      .filter((key) => nearNames(key, [String(name)]).length > 0)
      .map((key) => document.problem([...path, key], `is not known here and has no effect; did you mean ${name}?`, "warning", true));
  });
}

/** Reads one entry and collects its problems. */
class ProviderReader {
  readonly #document: ConfigDocument;
  readonly #env: Environment;
  readonly #problems: Issue[];
  readonly #id: string;
  readonly #known: KnownProvider | undefined;
  #failed = false;

  constructor(document: ConfigDocument, env: Environment, problems: Issue[], id: string) {
    this.#document = document;
    this.#env = env;
    this.#problems = problems;
    this.#id = id;
    this.#known = KNOWN_PROVIDERS.find((known) => known.id === id);
  }

  read(entry: unknown): Provider | undefined {
    if (!/^[A-Za-z0-9][\w.-]*$/.test(this.#id)) this.#error([], "a provider's id is made of letters, digits, dots, dashes and underscores", true);
    if (this.#id === "faux") this.#error([], "this id is the built-in scripted model's; choose another", true);
    this.#warnUnknownKeys(entry, [], Object.keys(ProviderConfig.shape), FOREIGN_PROVIDER_KEYS);
    const parsed = ProviderConfig.safeParse(entry);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) this.#schemaError(issue);
      return undefined;
    }
    const config = parsed.data;
    for (const [index, model] of (config.models ?? []).entries()) this.#warnUnknownKeys(model, ["models", index], Object.keys(ModelConfig.shape), FOREIGN_MODEL_KEYS);
    const protocols = this.#protocols(config);
    const key = this.#key(config);
    const baseUrl = this.#baseUrl(config, protocols, key !== undefined);
    const headers = this.#headers(config);
    if (this.#failed || baseUrl === undefined) return undefined;
    const bearer = config.authHeader ?? protocols.some((protocol) => protocol !== "messages");
    const { file, line } = this.#document.problem([...ROOT, this.#id], "", "error", true);
    return {
      id: this.#id,
      label: config.label ?? this.#known?.label ?? this.#id,
      baseUrl,
      protocols,
      ...(key === undefined ? {} : { credential: credentialOf(bearer ? "authorization" : "x-api-key", key) }),
      ...(headers.length === 0 ? {} : { headers }),
      models: this.#models(config),
      origin: `${file}:${line}`,
    };
  }

  #protocols(config: ProviderConfig): ModelProtocol[] {
    const names = config.protocols ?? (config.api === undefined ? (this.#known?.protocols ?? ["chat-completions"]) : [config.api]);
    return [...new Set(names.map((name) => PROTOCOL_NAMES[name]!))];
  }

  #key({ apiKey }: ProviderConfig): string | undefined {
    const own = this.#known?.keys.map(({ variable }) => variable).find((variable) => (this.#env[variable] ?? "") !== "");
    if (apiKey === undefined && own === undefined) return undefined;
    const ref = apiKey === undefined ? { variable: own! } : typeof apiKey === "string" ? secretRef(apiKey) : { variable: apiKey.id };
    const secret = readSecret(ref, this.#env);
    if ("value" in secret) return secret.value;
    if ("error" in secret) this.#error(["apiKey"], secret.error);
    else this.#missing(["apiKey"], secret.missing);
    return undefined;
  }

  #baseUrl(config: ProviderConfig, protocols: readonly ModelProtocol[], hasKey: boolean): string | undefined {
    const text = config.baseUrl ?? this.#known?.baseUrl;
    if (text === undefined) {
      this.#error([], "baseUrl is missing, e.g. http://127.0.0.1:8080/v1");
      return undefined;
    }
    const base = readBaseUrl(text, protocols, hasKey);
    if ("error" in base) {
      this.#error(["baseUrl"], base.error);
      return undefined;
    }
    if (base.warning !== undefined) this.#report(["baseUrl"], base.warning, "warning");
    return base.url;
  }

  #headers({ headers = {} }: ProviderConfig): [string, string][] {
    return Object.entries(headers).flatMap(([name, text]): [string, string][] => {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) this.#error(["headers", name], "is not a header's name", true);
      const value = readSecret(secretRef(text), this.#env);
      if ("value" in value) return [[name, value.value]];
      if ("error" in value) this.#error(["headers", name], value.error);
      else this.#missing(["headers", name], value.missing);
      return [];
    });
  }

  #models({ models = [] }: ProviderConfig): ProviderModel[] {
    const own = models.map((model) => describeModel(typeof model === "string" ? { id: model } : model, this.#known));
    const ids = new Set(own.map(({ id }) => id));
    return [...own, ...(this.#known?.models ?? []).filter(({ id }) => !ids.has(id))];
  }

  #warnUnknownKeys(value: unknown, path: Path, known: readonly string[], foreign: readonly string[]): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const key of Object.keys(value)) {
      if (known.includes(key) || foreign.includes(key)) continue;
      const near = nearNames(key, known);
      this.#report([...path, key], `is not known here and has no effect${near.length > 0 ? `; did you mean ${near.join(" or ")}?` : ""}`, "warning", true);
    }
  }

  #schemaError(issue: z.core.$ZodIssue): void {
    // A union reports all its branches: the one that got furthest is the one that was meant.
    if (issue.code === "invalid_union") {
      const branch = issue.errors.filter((errors) => errors.some((inner) => inner.path.length > 0)).at(-1);
      if (branch !== undefined) {
        for (const inner of branch) this.#error([...(issue.path as Path), ...(inner.path as Path)], inner.message);
        return;
      }
    }
    this.#error(issue.path as Path, issue.message);
  }

  #missing(path: Path, variable: string): void {
    this.#failed = true;
    this.#report(path, `names the variable ${variable}, which is not set; the provider is left out`, "warning");
  }

  #error(path: Path, message: string, key = false): void {
    this.#failed = true;
    this.#report(path, message, "error", key);
  }

  #report(path: Path, message: string, severity: Issue["severity"], key = false): void {
    this.#problems.push(this.#document.problem([...ROOT, this.#id, ...path], message, severity, key));
  }
}

function describeModel(config: ModelConfig, known: KnownProvider | undefined): ProviderModel {
  const base = known?.models.find(({ id }) => id === config.id);
  const reasoning = config.reasoning ?? base?.reasoning ?? false;
  return {
    id: config.id,
    name: config.name ?? base?.name ?? config.id,
    contextWindow: config.contextWindow ?? base?.contextWindow ?? 128_000,
    maxOutput: config.maxTokens ?? base?.maxOutput ?? 16_384,
    reasoning,
    images: config.input?.includes("image") ?? base?.images ?? false,
    variants: config.variants ?? base?.variants ?? (reasoning ? effortVariants("low", "medium", "high") : {}),
  };
}
