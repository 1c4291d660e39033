import type { Client } from '@svc/client';
import { connect, type GlobalOptions, resolveTarget, type Target } from './connection.ts';
import { CommandFailure } from './failure.ts';
import type { Scope } from './kinds/index.ts';
import { type Style, styleFor } from './terminal/index.ts';
import type { World } from './world.ts';

/** What a command of this run works with. */
export interface CommandContext {
  readonly world: World;
  readonly options: GlobalOptions;
  readonly target: Target;
  readonly client: Client;
  readonly scope: Scope;
  /** One line for the person, on standard error; silent with --quiet. */
  note(text: string): void;
  /** Colours for standard error. */
  readonly noteStyle: Style;
}

export interface ScopeOptions {
  readonly selector?: string;
  readonly agent?: string;
  readonly limit?: string;
}

/** Items of a list when --limit says nothing. */
const DEFAULT_LIMIT = 1_000;

/** Resolves whom to talk to and makes the client; no call is made yet. */
export const openContext = async (world: World, options: GlobalOptions & ScopeOptions): Promise<CommandContext> => {
  const target = resolveTarget(world, options);
  const client = await connect(world, target, options);
  const limit = limitOf(options.limit);
  const { selector = '', agent } = options;
  return {
    world,
    options,
    target,
    client,
    scope: { client, namespace: target.namespace, selector, agent, limit, world },
    note: (text) => (options.quiet === true ? undefined : world.stderr.write(`${text}\n`)),
    noteStyle: styleFor(world.stderr, world.environment, options.color),
  };
};

const limitOf = (text: string | undefined): number => {
  const limit = text === undefined ? DEFAULT_LIMIT : Number(text);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new CommandFailure(`--limit ${text} is no number from 1 on`);
};
