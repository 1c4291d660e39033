import type { Client } from '@svc/client';
import type { PlainClient } from '@svc/client/plain';
import { clientOptions, type GlobalOptions, resolveTarget, type Target } from './connection.ts';
import { CommandFailure } from './failure.ts';
import type { Scope } from './kinds/index.ts';
import { type Style, styleFor } from './terminal/index.ts';
import type { World } from './world.ts';

/** What a command needs that handles no protobuf messages: it calls in JSON, and loads little. */
export interface PlainContext {
  readonly world: World;
  readonly options: GlobalOptions;
  readonly target: Target;
  readonly call: PlainClient['call'];
  readonly scope: Scope;
  /** `--limit`; undefined when not given. */
  readonly limit: number | undefined;
  /** One line for the person, on standard error; silent with --quiet. */
  note(text: string): void;
  /** Colours for standard error. */
  readonly noteStyle: Style;
}

/** As PlainContext, with typed calls and streams, which take a quarter of a second longer to load. */
export interface CommandContext extends PlainContext {
  readonly client: Client;
}

export interface ScopeOptions {
  readonly selector?: string;
  readonly agent?: string;
  readonly limit?: string;
}

/** Default of --limit. */
const DEFAULT_LIMIT = 1_000;

/** Resolves server, credential and namespace; makes no call yet. */
export const openPlain = async (world: World, options: GlobalOptions & ScopeOptions): Promise<PlainContext> => {
  const target = resolveTarget(world, options);
  const limit = limitOf(options.limit);
  const { call } = await world.createPlainClient(clientOptions(target, options));
  const { selector = '', agent } = options;
  return {
    world,
    options,
    target,
    call,
    limit,
    scope: { call, namespace: target.namespace, selector, agent, limit: limit ?? DEFAULT_LIMIT, world },
    note: (text) => (options.quiet === true ? undefined : world.stderr.write(`${text}\n`)),
    noteStyle: styleFor(world.stderr, world.environment, options.color),
  };
};

/** As openPlain, with a typed client; makes no call yet. */
export const openContext = async (world: World, options: GlobalOptions & ScopeOptions): Promise<CommandContext> =>
  withClient(await openPlain(world, options));

/** The context with a typed client for the same server and caller. */
export const withClient = async (context: PlainContext): Promise<CommandContext> => {
  const client = await context.world.createClient(clientOptions(context.target, context.options));
  return { ...context, client };
};

const limitOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new CommandFailure(`--limit ${text} is not a number of 1 or more`);
};

/**
 * Up to `most` items of a list, and a note when there are more: `list` is asked for one more than is shown. Without
 * `most`, the whole list.
 */
export const listUpTo = async <T>(
  { note }: Pick<PlainContext, 'note'>,
  most: number | undefined,
  list: (limit: number) => Promise<readonly T[]>,
): Promise<readonly T[]> => {
  if (most === undefined) return list(Number.POSITIVE_INFINITY);
  const found = await list(most + 1);
  if (found.length > most) note(`there are more than ${most}: a higher --limit shows them`);
  return found.slice(0, most);
};
