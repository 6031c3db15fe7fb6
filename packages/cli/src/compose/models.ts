import { findLocalServers, LOCAL_SERVERS, loadProviders, type Provider } from "@beeuni/gateway";
import { formatIssue, type Issue, parseModelRef } from "@beeuni/protocol";
import type { Environment } from "../io.ts";

/** Who serves models to this process, and which model is taken when nothing names one. */
export interface Models {
  providers: Provider[];
  /** `provider/model`; undefined when nothing names one and nothing can be found. */
  standard: { model: string; because: string } | undefined;
  /** What is wrong with the configuration. A broken provider is left out, the others work. */
  problems: Issue[];
}

export interface ModelsRequest {
  home: string;
  env: Environment;
  /** The model that will be used (`provider/model`), when the command line or the session names one. */
  named: string | undefined;
  /** Models that may be used: those of the agents. */
  mentioned: readonly string[];
  /** Milliseconds are lost on it, so it is asked for only when a model could be needed. */
  findLocal?: () => Promise<Provider[]>;
}

/**
 * The configured providers, and the model servers of this machine when one of them is named or when no key is
 * configured. The standard model is the first one of the first provider that lists any.
 */
export async function findModels({ home, env, named, mentioned, findLocal = () => findLocalServers() }: ModelsRequest): Promise<Models> {
  const { providers, problems: all } = loadProviders({ home, env });
  const configured = standardOf(providers);
  const wanted = new Set([...mentioned, ...(named === undefined ? [] : [named])].map((model) => parseModelRef(model)?.provider));
  // A key that is not set matters to a run on that provider, and to `beeuni doctor`; to no other run.
  const problems = all.filter(({ severity, path }) => severity === "error" || named === undefined || wanted.has(/^models\.providers\.([^.]+)/.exec(path)?.[1]));
  const isLocalNamed = LOCAL_SERVERS.some(({ id }) => wanted.has(id) && !providers.some((provider) => provider.id === id));
  if (!isLocalNamed && (configured !== undefined || named !== undefined)) return { providers, standard: configured, problems };
  const known = new Set(providers.map(({ id }) => id));
  const local = (await findLocal()).filter(({ id }) => !known.has(id));
  return { providers: [...providers, ...local], standard: configured ?? standardOf(local), problems };
}

function standardOf(providers: readonly Provider[]): Models["standard"] {
  const provider = providers.find(({ models }) => models.length > 0);
  return provider && { model: `${provider.id}/${provider.models[0]!.id}`, because: provider.origin };
}

/** One line per problem, for stderr. */
export function problemLines(problems: readonly Issue[]): string[] {
  return problems.map((issue) => `${issue.severity}: ${formatIssue(issue)}`);
}
