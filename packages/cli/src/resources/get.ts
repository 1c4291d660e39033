import type { GlobalOptions } from '../connection.ts';
import { openContext, type ScopeOptions } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { type Item, type Kind, kindAndNames, kindOf, type Scope } from '../kinds/index.ts';
import { outputForm, printItems } from '../output.ts';
import type { World } from '../world.ts';
import { withManagers } from './managers.ts';
import { watchItems } from './watch.ts';

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
  const context = await openContext(world, options);
  const isAcross = options.allNamespaces === true && kind.isNamespaced;
  if (isAcross && names.length > 0)
    throw new CommandFailure('a name is looked up in one namespace: leave out -A, or the name');
  if (options.watch === true) return watchItems(context, { kind, names, isAcross, form });
  const isList = names.length !== 1;
  const { limit } = context.scope;
  // One more than asked for tells whether there are more.
  const found = await readItems(kind, { scope: { ...context.scope, limit: limit + 1 }, names, isAcross });
  const items = names.length > 0 ? found : found.slice(0, limit);
  if (items.length < found.length) context.note(`these are the first ${limit}: --limit shows more, -l narrows`);
  if (items.length === 0 && form.form === 'table') {
    const place = kind.isNamespaced && !isAcross ? ` in namespace ${context.target.namespace}` : '';
    return context.note(`no ${kind.plural}${place}`);
  }
  await printItems(world, { kind, items, isList, isAcross }, form);
};

const readItems = async (
  kind: Kind,
  wanted: { readonly scope: Scope; readonly names: readonly string[]; readonly isAcross: boolean },
): Promise<readonly Item[]> => {
  const { scope, names, isAcross } = wanted;
  if (names.length > 0) return Promise.all(names.map((name) => kind.get(scope, name)));
  if (!isAcross) return kind.list(scope);
  const items: Item[] = [];
  for (const namespace of await kindOf('namespaces').list({ ...scope, selector: '', limit: NAMESPACES_MAX })) {
    const limit = scope.limit - items.length;
    if (limit <= 0) break;
    items.push(...(await kind.list({ ...scope, namespace: namespace.name, limit })));
  }
  return items;
};

const NAMESPACES_MAX = 100_000;
