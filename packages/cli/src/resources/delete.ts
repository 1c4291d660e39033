import { isSvcError } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { openContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { kindAndNames } from '../kinds/index.ts';
import type { World } from '../world.ts';

export interface DeleteOptions extends GlobalOptions, ScopeOptions {
  readonly purge?: boolean;
}

/** `svc delete KIND NAME...`: one after the other; some deleted and some not is exit code 2. */
export const remove = async (world: World, words: readonly string[], options: DeleteOptions): Promise<void> => {
  const { kind, names } = kindAndNames(words);
  if (names.length === 0)
    throw new CommandFailure(`which ${kind.name.toLowerCase()}?`, { hint: `svc get ${kind.plural}` });
  const { scope } = await openContext(world, options);
  let deleted = 0;
  for (const name of names) {
    try {
      const note = await kind.remove(scope, name, { isPurge: options.purge === true });
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
