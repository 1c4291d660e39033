import type { JsonValue } from '@bufbuild/protobuf';
import { isSvcError, type SvcError } from '@svc/client/error';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type PlainContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf } from '../json-value.ts';
import { type Item, type Kind, kindAndItsNames, kindOf, listItems, type Scope } from '../kinds/index.ts';
import { outputForm, printItems } from '../output.ts';

export interface GetOptions extends GlobalOptions, ScopeOptions {
  readonly allNamespaces?: boolean;
  readonly watch?: boolean;
  /** A column with what manages a resource. */
  readonly showManaged?: boolean;
}

/** `svc get KIND [NAME...]`. */
export const get = async (host: Host, words: readonly string[], options: GetOptions): Promise<void> => {
  const { kind: plain, names } = kindAndItsNames(words);
  const kind = options.showManaged === true ? withManagers(plain) : plain;
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
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
  await printItems(host, { kind, items, isList, isAcross, color: options.color }, form);
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

/** What other than people manages a resource: its controller, a deployment, an apply set, an agent template. */
const managersOf = ({ json }: Item): string => {
  const { ownerReferences, labels, annotations } = mapOf(json['metadata']);
  const owners = mapsOf(ownerReferences)
    .filter((owner) => owner['controller'] === true)
    .map((owner) => `${String(owner['kind'])}/${String(owner['name'])}`);
  const named = (word: string, value: JsonValue | undefined): readonly string[] =>
    typeof value === 'string' && value !== '' ? [`${word}/${value}`] : [];
  const all = [
    ...owners,
    ...named('Deployment', mapOf(labels)['svc/deployment']),
    ...named('set', mapOf(annotations)['svc/apply-set']),
    ...named('template', mapOf(annotations)['svc/template']),
  ];
  return all.length === 0 ? '-' : [...new Set(all)].join(', ');
};

/** The kind with another column for what manages each resource. */
const withManagers = (kind: Kind): Kind => {
  const managed = (item: Item): Item => ({ ...item, cells: [...item.cells, managersOf(item)] });
  return {
    ...kind,
    headings: [...kind.headings, 'managed by'],
    list: async (scope) => (await kind.list(scope)).map(managed),
    get: async (scope, name) => managed(await kind.get(scope, name)),
    itemOf: (scope, resource) => managed(kind.itemOf(scope, resource)),
  };
};

/** Namespaces that are read one by one, for callers who may not list all at once. */
const NAMESPACES_MAX = 100_000;

/**
 * Resources of a kind in every namespace, by namespace and name: one list for callers whose grant covers everything; for others
 * those of the namespaces that they may read, with a note.
 */
const listAcross = async (context: PlainContext, kind: Kind, limit: number): Promise<readonly Item[]> => {
  const { scope, call } = context;
  // The parent of a session is its agent.
  const place = { ns: '-', kind: kind.name, parent: scope.agent ?? '' };
  const request = { ...place, labelSelector: scope.selector, member: 'resources' };
  try {
    const found = await listItems({ call, limit }, 'ResourceService/ListResources', request);
    return found.map((resource) => kind.itemOf(scope, resource));
  } catch (error) {
    if (!isSvcError(error) || error.code !== 'PERMISSION_DENIED') throw error;
    return listWhereAllowed(context, kind, limit);
  }
};

const listWhereAllowed = async (context: PlainContext, kind: Kind, limit: number): Promise<readonly Item[]> => {
  const { scope, note } = context;
  const items: Item[] = [];
  let seen = 0;
  for (const { name } of await kindOf('namespaces').list({ ...scope, selector: '', limit: NAMESPACES_MAX })) {
    if (items.length >= limit) break;
    try {
      items.push(...(await kind.list({ ...scope, namespace: name, limit: limit - items.length })));
      seen += 1;
    } catch (error) {
      if (!isSvcError(error) || error.code !== 'PERMISSION_DENIED') throw error;
    }
  }
  if (seen === 0)
    throw new CommandFailure(`you may not list the ${kind.plural} of any namespace`, {
      exitCode: exitCodes.connection,
      hint: '`svc whoami` shows where you may do what; -n chooses a namespace',
    });
  note('showing only namespaces you have access to');
  return items;
};
