import { type Fault, invalidField } from '../../../base/index.ts';
import { findKind, kinds, namespaceKey, recordKey, refusal } from '../../../resources/index.ts';
import type { ReadTx, ResourceKey } from '../../../store/contracts/index.ts';

export interface AddressRequest {
  readonly ns: string;
  readonly kind: string;
  readonly name: string;
  readonly parent: string;
}

/** INVALID_ARGUMENT for a kind that is neither built in nor stored. */
export const unknownKind = (kind: string, field = 'kind'): Fault => {
  const near = kinds.find((row) => row.kind.toLowerCase() === kind.toLowerCase().replace(/s$/, ''));
  const advice = near === undefined ? '' : `, did you mean ${near.kind}`;
  return invalidField(field, `unknown kind "${kind.slice(0, 80)}"${advice}`, 'UNKNOWN_KIND');
};

/** The key a request of the ResourceService means. */
export const addressOf = async (
  reads: Pick<ReadTx, 'resources' | 'log'>,
  request: AddressRequest,
): Promise<ResourceKey> => {
  const { ns, kind, name, parent } = request;
  if (kind === 'Namespace') {
    if (ns !== name)
      throw refusal([{ field: 'ns', description: 'of a Namespace is its name', reason: 'PATH_BODY_MISMATCH' }]);
    return namespaceKey(name);
  }
  const row = findKind(kind);
  if (row === undefined) return customAddress(reads, recordKey(kind, ns, name));
  if (row.parent === 'channel' && parent === '') throw invalidField('parent', 'the channel is required');
  if (row.parent === undefined || parent !== '')
    return { kind, namespace: ns, parent: row.parent === undefined ? '' : parent, name };
  const session = await reads.log.session(name);
  return { kind, namespace: ns, parent: session?.namespace === ns ? session.agent : '', name };
};

const customAddress = async (reads: Pick<ReadTx, 'resources'>, key: ResourceKey): Promise<ResourceKey> => {
  if ((await reads.resources.get(key)) === undefined) await requireKind(reads, key.kind);
  return key;
};

/** Refuses a kind that is not built in and of which nothing is stored; `field` is where the request names it. */
export const requireKind = async (reads: Pick<ReadTx, 'resources'>, kind: string, field = 'kind'): Promise<void> => {
  if (findKind(kind) !== undefined) return;
  const some = await reads.resources.list({ kind, scope: { type: 'all' }, limit: 1 });
  if (some.length === 0) throw unknownKind(kind, field);
};
