import type { Client } from '@svc/client';
import type { PlainClient } from '@svc/client/plain';
import { clientOptions, type GlobalOptions, resolveTarget, type Target } from './connection.ts';
import { CommandFailure } from './failure.ts';
import type { Host } from './host.ts';
import type { Scope } from './kinds/index.ts';
import { type Style, styleFor } from './terminal/index.ts';

/** What a command needs that handles no protobuf messages: it calls in JSON, and loads little. */
export interface PlainContext {
  readonly host: Host;
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
export const openPlain = async (host: Host, options: GlobalOptions & ScopeOptions): Promise<PlainContext> => {
  const target = resolveTarget(host, options);
  const limit = limitOf(options.limit);
  const { call } = await host.createPlainClient(clientOptions(target, options));
  const { selector = '', agent } = options;
  return {
    host,
    options,
    target,
    call,
    limit,
    scope: { call, namespace: target.namespace, selector, agent, limit: limit ?? DEFAULT_LIMIT, host },
    note: (text) => (options.quiet === true ? undefined : host.stderr.write(`${text}\n`)),
    noteStyle: styleFor(host.stderr, host.environment, options.color),
  };
};

/** As openPlain, with a typed client; makes no call yet. */
export const openContext = async (host: Host, options: GlobalOptions & ScopeOptions): Promise<CommandContext> =>
  withClient(await openPlain(host, options));

/** The context with a typed client for the same server and caller. */
export const withClient = async (context: PlainContext): Promise<CommandContext> => {
  const client = await context.host.createClient(clientOptions(context.target, context.options));
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
