import type { GlobalOptions } from '../connection.ts';
import { openContext, type ScopeOptions } from '../context.ts';
import { type Item, type Kind, kindAndNames, kindOf, type Scope } from '../kinds/index.ts';
import { outputForm, printItems } from '../output.ts';
import type { World } from '../world.ts';

export interface GetOptions extends GlobalOptions, ScopeOptions {
  readonly allNamespaces?: boolean;
}

/** `svc get KIND [NAME...]`. */
export const get = async (world: World, words: readonly string[], options: GetOptions): Promise<void> => {
  const { kind, names } = kindAndNames(words);
  const form = outputForm(options.output);
  const context = await openContext(world, options);
  const isAcross = options.allNamespaces === true && kind.isNamespaced;
  const isList = names.length !== 1;
  const items = await readItems(kind, { scope: context.scope, names, isAcross });
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
  for (const namespace of await kindOf('namespaces').list({ ...scope, selector: '' })) {
    items.push(...(await kind.list({ ...scope, namespace: namespace.name })));
  }
  return items;
};
