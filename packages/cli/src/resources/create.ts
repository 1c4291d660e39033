import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isSvcError } from '@svc/client/error';
import type { GlobalOptions } from '../connection.ts';
import { openPlain, type PlainContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { isMap, mapOf, textOf } from '../json-value.ts';
import { type Item, type Kind, kindOf } from '../kinds/index.ts';
import { outputForm, printItems } from '../output.ts';

export interface CreateOptions extends GlobalOptions {
  readonly labels?: string;
  readonly recursive?: boolean;
  readonly parent?: string;
  readonly template?: string;
  readonly model?: string;
  readonly prompt?: string;
  readonly spec?: string;
}

/** `a=b,c=d`. */
const parseLabels = (text: string | undefined): Record<string, string> => {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw new CommandFailure(`label ${pair} has no value`, { hint: 'write labels as --labels team=red,tier=1' });
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
};

/** `svc create namespace NAME`. */
export const createNamespace = async (host: Host, name: string, options: CreateOptions): Promise<void> => {
  const context = await openPlain(host, options);
  const { recursive = false, parent = '' } = options;
  const request = { name, recursive, parent, labels: parseLabels(options.labels) };
  const before = await presentNamespace(context, name);
  const { namespace } = await context.call('GatewayService/CreateNamespace', request);
  const outcome = namespaceOutcome(before, mapOf(namespace));
  await report(context, { kind: kindOf('namespace'), name, outcome });
};

/** A namespace of that name, also a deleted one; undefined if there is none. */
const presentNamespace = async ({ call }: PlainContext, name: string): Promise<JsonObject | undefined> => {
  try {
    return mapOf((await call('GatewayService/GetNamespace', { name }))['namespace']);
  } catch (error) {
    if (isSvcError(error) && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
};

/** What creating a namespace did: an existing one only gets labels, a deleted one comes back. */
const namespaceOutcome = (before: JsonObject | undefined, after: JsonObject): string => {
  if (before === undefined) return 'created';
  if (mapOf(before['status'])['isDeleted'] === true) return 'restored with its contents';
  const versionOf = ({ metadata }: JsonObject): string => textOf(mapOf(metadata)['resourceVersion']);
  return `exists already${versionOf(before) === versionOf(after) ? '' : '; its labels were changed'}`;
};

/** `svc create agent NAME`. */
export const createAgent = async (host: Host, name: string, options: CreateOptions): Promise<void> => {
  const context = await openPlain(host, options);
  const request = {
    ns: context.target.namespace,
    name,
    labels: parseLabels(options.labels),
    template: options.template ?? '',
  };
  const spec = await agentSpec(host, options);
  await context.call('GatewayService/CreateAgent', { ...request, spec });
  await report(context, { kind: kindOf('agent'), name, outcome: 'created' });
};

/** The spec of --spec (`-` is standard input), with --model and --prompt applied to it; the server checks its fields. */
const agentSpec = async (host: Host, options: CreateOptions): Promise<JsonObject> => {
  const spec = options.spec === undefined ? {} : await readSpec(host, options.spec);
  const prompted = options.prompt === undefined ? spec : { ...spec, systemPrompt: options.prompt };
  if (options.model === undefined) return prompted;
  const [provider = '', ...rest] = options.model.split('/');
  const model = rest.length === 0 ? { provider: '', name: provider } : { provider, name: rest.join('/') };
  return { ...prompted, modelPolicy: { profiles: [{ name: 'default', model }] } };
};

const readSpec = async (host: Host, path: string): Promise<JsonObject> => {
  const { resolve } = await import('node:path');
  const { parse } = await import('yaml');
  const text = path === '-' ? await host.stdin.readAll() : host.files.readText(resolve(host.cwd, path));
  if (text === undefined) throw new CommandFailure(`there is no file ${path}`);
  const spec = specIn(parsed(() => parse(text), path));
  if (isMap(spec)) return spec;
  throw new CommandFailure(`${path}: this is not a map`, { hint: 'the file holds the fields of an agent spec' });
};

const parsed = (parse: () => unknown, path: string): JsonValue => {
  try {
    return (parse() ?? {}) as JsonValue;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`${path}: ${reason}`, {
      hint: 'the file holds the fields of an agent spec',
      cause: error,
    });
  }
};

/** A whole manifest has the spec inside. */
const specIn = (value: JsonValue): JsonValue => (isMap(value) && value['spec'] !== undefined ? value['spec'] : value);

/** `svc create session AGENT`. */
export const createSession = async (host: Host, agent: string, options: CreateOptions): Promise<void> => {
  const context = await openPlain(host, options);
  const labels = parseLabels(options.labels);
  const request = { ns: context.target.namespace, agent, labels };
  const { sessionId } = await context.call('GatewayService/CreateSession', request);
  const scoped: PlainContext = { ...context, scope: { ...context.scope, agent } };
  await report(scoped, { kind: kindOf('session'), name: textOf(sessionId), outcome: 'created' });
};

/** A line for people, or the new resource in the form that was asked for. */
const report = async (
  context: PlainContext,
  done: { readonly kind: Kind; readonly name: string; readonly outcome: string },
): Promise<void> => {
  const { kind, name, outcome } = done;
  const { output } = context.options;
  if (output === undefined) return context.host.stdout.write(`${kind.name.toLowerCase()}/${name} ${outcome}\n`);
  const item: Item = await kind.get(context.scope, name);
  await printItems(context.host, { kind, items: [item], isList: false, isAcross: false }, outputForm(output));
};
