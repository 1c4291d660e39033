import { fromJson, type JsonValue, create as message } from '@bufbuild/protobuf';
import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { type Item, type Kind, kindOf } from '../kinds/index.ts';
import { outputForm, printItems } from '../output.ts';
import type { World } from '../world.ts';

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

export const createNamespace = async (world: World, name: string, options: CreateOptions): Promise<void> => {
  const context = await openContext(world, options);
  const { recursive = false, parent = '' } = options;
  await context.client.gateway.createNamespace({ name, recursive, parent, labels: parseLabels(options.labels) });
  await report(context, { kind: kindOf('namespace'), name, verb: 'created' });
};

export const createAgent = async (world: World, name: string, options: CreateOptions): Promise<void> => {
  const context = await openContext(world, options);
  const request = {
    ns: context.target.namespace,
    name,
    labels: parseLabels(options.labels),
    template: options.template ?? '',
  };
  await context.client.gateway.createAgent({ ...request, spec: await agentSpec(world, options) });
  await report(context, { kind: kindOf('agent'), name, verb: 'created' });
};

/** The spec of --spec (`-` is standard input), with --model and --prompt laid over it. */
const agentSpec = async (world: World, options: CreateOptions): Promise<AgentSpec> => {
  const spec = options.spec === undefined ? message(AgentSpecSchema) : await readSpec(world, options.spec);
  if (options.prompt !== undefined) spec.systemPrompt = options.prompt;
  if (options.model === undefined) return spec;
  const [provider = '', ...rest] = options.model.split('/');
  const model = rest.length === 0 ? { provider: '', name: provider } : { provider, name: rest.join('/') };
  const { modelPolicy } = message(AgentSpecSchema, { modelPolicy: { profiles: [{ name: 'default', model }] } });
  return modelPolicy === undefined ? spec : { ...spec, modelPolicy };
};

const readSpec = async (world: World, path: string): Promise<AgentSpec> => {
  const { resolve } = await import('node:path');
  const { parse } = await import('yaml');
  const text = path === '-' ? await world.stdin.readAll() : world.files.readText(resolve(world.cwd, path));
  if (text === undefined) throw new CommandFailure(`there is no file ${path}`);
  try {
    const parsed = parse(text) as JsonValue;
    const spec = typeof parsed === 'object' && parsed !== null && 'spec' in parsed ? parsed.spec : parsed;
    return fromJson(AgentSpecSchema, spec ?? {});
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`${path}: ${reason}`, {
      hint: 'the file holds the fields of an agent spec',
      cause: error,
    });
  }
};

export const createSession = async (world: World, agent: string, options: CreateOptions): Promise<void> => {
  const context = await openContext(world, options);
  const labels = parseLabels(options.labels);
  const session = await context.client.createSession({ ns: context.target.namespace, agent, labels });
  const scoped: CommandContext = { ...context, scope: { ...context.scope, agent } };
  await report(scoped, { kind: kindOf('session'), name: session.id, verb: 'created' });
};

/** A line for people, or the new resource in the form that was asked for. */
const report = async (
  context: CommandContext,
  done: { readonly kind: Kind; readonly name: string; readonly verb: string },
): Promise<void> => {
  const { kind, name, verb } = done;
  const { output } = context.options;
  if (output === undefined) return context.world.stdout.write(`${kind.name.toLowerCase()}/${name} ${verb}\n`);
  const item: Item = await kind.get(context.scope, name);
  await printItems(context.world, { kind, items: [item], isList: false, isAcross: false }, outputForm(output));
};
