import { isSvcError, type SvcError } from '@svc/client/error';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type PlainContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { type Item, type Kind, kindAndItsNames, type Scope } from '../kinds/index.ts';
import { outputForm, printItems } from '../output.ts';
import type { World } from '../world.ts';
import { listAcross } from './across.ts';
import { withManagers } from './managers.ts';

export interface GetOptions extends GlobalOptions, ScopeOptions {
  readonly allNamespaces?: boolean;
  readonly watch?: boolean;
  /** A column with what manages a resource. */
  readonly showManaged?: boolean;
}

/** `svc get KIND [NAME...]`. */
export const get = async (world: World, words: readonly string[], options: GetOptions): Promise<void> => {
  const { kind: plain, names } = kindAndItsNames(words);
  const kind = options.showManaged === true ? withManagers(plain) : plain;
  const form = outputForm(options.output);
  const context = await openPlain(world, options);
  const isAcross = options.allNamespaces === true && kind.isNamespaced;
  if (isAcross && names.length > 0)
    throw new CommandFailure('a name is looked up in one namespace: leave out -A, or the name');
  if (options.watch === true) return (await import('./watch.ts')).watchItems(context, { kind, names, isAcross, form });
  const { scope } = context;
  const isList = names.length !== 1;
  const { items, failures } =
    names.length > 0
      ? await readNamed(kind, scope, names)
      : {
          items: await listUpTo(context, scope.limit, (limit) => list(context, { kind, isAcross, limit })),
          failures: [],
        };
  if (items.length === 0 && form.form === 'table') {
    const place = kind.isNamespaced && !isAcross ? ` in namespace ${context.target.namespace}` : '';
    return context.note(`no ${kind.plural}${place}`);
  }
  await printItems(world, { kind, items, isList, isAcross, color: options.color }, form);
  if (failures.length > 0)
    throw new CommandFailure(failures.map(({ message }) => message).join('\n'), { exitCode: exitCodes.partial });
};

const list = (
  context: PlainContext,
  { kind, isAcross, limit }: { readonly kind: Kind; readonly isAcross: boolean; readonly limit: number },
): Promise<readonly Item[]> => (isAcross ? listAcross(context, kind, limit) : kind.list({ ...context.scope, limit }));

/** Those of the names that exist, and the errors of the others; if none exists, the first error is thrown. */
const readNamed = async (
  kind: Kind,
  scope: Scope,
  names: readonly string[],
): Promise<{ readonly items: readonly Item[]; readonly failures: readonly SvcError[] }> => {
  const results = await Promise.allSettled(names.map((name) => kind.get(scope, name)));
  const items = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failures = results.flatMap((result) => {
    if (result.status === 'fulfilled') return [];
    if (items.length === 0 || !isSvcError(result.reason) || result.reason.code !== 'NOT_FOUND') throw result.reason;
    return [result.reason];
  });
  return { items, failures };
};
