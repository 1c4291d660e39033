import { isSvcError } from '@svc/client/error';
import { confirm } from '../confirm.ts';
import type { GlobalOptions } from '../connection.ts';
import { openPlain, type PlainContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { allNames, type Kind, kindAndNames, propagationOf } from '../kinds/index.ts';
import type { World } from '../world.ts';

export interface DeleteOptions extends GlobalOptions, ScopeOptions {
  readonly purge?: boolean;
  readonly cascade?: string;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** `svc delete KIND NAME...` or `-l`: one after the other; some deleted and some not is exit code 2. */
export const remove = async (world: World, words: readonly string[], options: DeleteOptions): Promise<void> => {
  const { kind, names: given } = kindAndNames(words);
  const propagation = propagationOf(options.cascade);
  const context = await openPlain(world, options);
  const names = given.length > 0 ? given : await selected(context, kind, options);
  const how = { propagation, isPurge: options.purge === true, isForced: options.force === true };
  let deleted = 0;
  for (const name of names) {
    try {
      const note = await kind.remove(context.scope, name, how);
      world.stdout.write(`${kind.name.toLowerCase()}/${name} ${note}\n`);
      deleted += 1;
    } catch (error) {
      if (deleted === 0 || !isSvcError(error)) throw error;
      throw new CommandFailure(`${name}: ${error.message} (${error.reason})`, {
        exitCode: exitCodes.partial,
        cause: error,
      });
    }
  }
};

/** What `-l` finds, after a yes. */
const selected = async (context: PlainContext, kind: Kind, options: DeleteOptions): Promise<readonly string[]> => {
  const { world, note, scope } = context;
  if (options.selector === undefined)
    throw new CommandFailure(`which ${kind.name.toLowerCase()}?`, { hint: `\`svc get ${kind.plural}\` lists them` });
  const names = await allNames(kind, scope);
  if (names.length === 0) {
    note(`no ${kind.plural} are selected`);
    return names;
  }
  if (options.yes !== true)
    note(`these would be deleted:\n${names.map((name) => `  ${kind.name.toLowerCase()}/${name}`).join('\n')}`);
  await confirm(world, { text: 'delete them?', isAgreed: options.yes === true, refusal: 'nothing is deleted' });
  return names;
};
