import { isSvcError } from '@svc/client/error';
import type { PlainContext } from '../context.ts';
import { type Item, kindOf, listItems } from '../kinds/index.ts';

const ALL = Number.POSITIVE_INFINITY;

/** Every deployment that the caller may list: of all namespaces, else of the namespace of the command. */
export const deploymentsInReach = async ({ scope, call }: PlainContext): Promise<readonly Item[]> => {
  const kind = kindOf('deployments');
  const place = { ns: '-', kind: kind.name, member: 'resources' };
  try {
    const found = await listItems({ call, limit: ALL }, 'ResourceService/ListResources', place);
    return found.map((resource) => kind.itemOf(scope, resource));
  } catch (error) {
    if (!isSvcError(error) || error.code !== 'PERMISSION_DENIED') throw error;
    return kind.list({ ...scope, selector: '', limit: ALL });
  }
};
