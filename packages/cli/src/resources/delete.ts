import { isSvcError, type SvcError } from '@svc/client/error';
import { confirm } from '../confirm.ts';
import type { GlobalOptions } from '../connection.ts';
import { openPlain, type PlainContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes, explain } from '../failure.ts';
import type { Host } from '../host.ts';
import { allNames, type Kind, kindAndItsNames, propagationOf } from '../kinds/index.ts';

export interface DeleteOptions extends GlobalOptions, ScopeOptions {
  readonly purge?: boolean;
  readonly cascade?: string;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** `svc delete KIND NAME...` or `-l`: one after the other; exit code 2 when only some were deleted. */
export const remove = async (host: Host, words: readonly string[], options: DeleteOptions): Promise<void> => {
  if (words.length === 0)
    throw new CommandFailure('what is to be deleted?', {
      hint: '`svc delete KIND NAME`, or `svc delete -f FILE` for all that manifests name',
    });
  const { kind, names: given } = kindAndItsNames(words);
  const propagation = propagationOf(options.cascade);
  const context = await openPlain(host, options);
  const names = given.length > 0 ? given : await selected(context, kind, options);
  const how = { propagation, isPurge: options.purge === true, isForced: options.force === true };
  let deleted = 0;
  const failures: { readonly name: string; readonly error: SvcError }[] = [];
  for (const name of names) {
    try {
      const note = await kind.remove(context.scope, name, how);
      host.stdout.write(`${kind.name.toLowerCase()}/${name} ${note}\n`);
      deleted += 1;
    } catch (error) {
      if (!isSvcError(error)) throw error;
      failures.push({ name, error });
      // A resource that is already gone does not stop the others.
      if (error.code !== 'NOT_FOUND') break;
    }
  }
  const [first] = failures;
  if (first === undefined) return;
  if (names.length === 1) throw first.error;
  const lines = failures.map(({ name, error }) => `${name}: ${error.message} (${error.reason})`);
  const exitCode = deleted > 0 ? exitCodes.partial : explain(failures.at(-1)?.error)?.exitCode;
  throw new CommandFailure(lines.join('\n'), { ...(exitCode === undefined ? {} : { exitCode }), cause: first.error });
};

/** What `-l` selects, after confirmation. */
const selected = async (context: PlainContext, kind: Kind, options: DeleteOptions): Promise<readonly string[]> => {
  const { host, note, scope } = context;
  if (options.selector === undefined)
    throw new CommandFailure(`which ${kind.name.toLowerCase()}?`, { hint: `\`svc get ${kind.plural}\` lists them` });
  const names = await allNames(kind, scope);
  if (names.length === 0) {
    note(`no ${kind.plural} are selected`);
    return names;
  }
  if (options.yes !== true)
    note(`these would be deleted:\n${names.map((name) => `  ${kind.name.toLowerCase()}/${name}`).join('\n')}`);
  await confirm(host, { text: 'delete them?', isAgreed: options.yes === true, refusal: 'nothing was deleted' });
  return names;
};
