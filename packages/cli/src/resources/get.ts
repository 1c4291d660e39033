import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type ScopeOptions } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { kindAndNames } from '../kinds/index.ts';
import { outputForm, printItems } from '../output.ts';
import type { World } from '../world.ts';
import { listAcross } from './across.ts';
import { withManagers } from './managers.ts';

export interface GetOptions extends GlobalOptions, ScopeOptions {
  readonly allNamespaces?: boolean;
  readonly watch?: boolean;
  /** A column that says what looks after a resource. */
  readonly showManaged?: boolean;
}

/** `svc get KIND [NAME...]`. */
export const get = async (world: World, words: readonly string[], options: GetOptions): Promise<void> => {
  const { kind: plain, names } = kindAndNames(words);
  const kind = options.showManaged === true ? withManagers(plain) : plain;
  const form = outputForm(options.output);
  const context = await openPlain(world, options);
  const isAcross = options.allNamespaces === true && kind.isNamespaced;
  if (isAcross && names.length > 0)
    throw new CommandFailure('a name is looked up in one namespace: leave out -A, or the name');
  if (options.watch === true) return (await import('./watch.ts')).watchItems(context, { kind, names, isAcross, form });
  const { scope } = context;
  const isList = names.length !== 1;
  const items =
    names.length > 0
      ? await Promise.all(names.map((name) => kind.get(scope, name)))
      : await listUpTo(context, scope.limit, (limit) =>
          isAcross ? listAcross(context, kind, limit) : kind.list({ ...scope, limit }),
        );
  if (items.length === 0 && form.form === 'table') {
    const place = kind.isNamespaced && !isAcross ? ` in namespace ${context.target.namespace}` : '';
    return context.note(`no ${kind.plural}${place}`);
  }
  await printItems(world, { kind, items, isList, isAcross }, form);
};
