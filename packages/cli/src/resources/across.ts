import { isSvcError } from '@svc/client/error';
import type { PlainContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { type Item, type Kind, kindOf, listItems } from '../kinds/index.ts';

/** Namespaces that are read one by one, for callers who may not list all at once. */
const NAMESPACES_MAX = 100_000;

/**
 * Resources of a kind in every namespace, by namespace and name: one list for callers whose grant covers everything; for others
 * those of the namespaces that they may read, with a note.
 */
export const listAcross = async (context: PlainContext, kind: Kind, limit: number): Promise<readonly Item[]> => {
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
