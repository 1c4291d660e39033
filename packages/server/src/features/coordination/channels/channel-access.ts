import { Fault } from '../../../base/index.ts';
import { requireNamespace } from '../../../controllers/facade-contract.ts';
import { recordKey, resourceNotFound } from '../../../resources/index.ts';
import type { ReadTx, StoredResource } from '../../../store/contracts/index.ts';
import { phaseOf } from './channel-rules.ts';

type Reads = Pick<ReadTx, 'resources'>;

export interface ChannelNames {
  readonly ns: string;
  readonly channel: string;
}

/** The channel's record; CHANNEL_NOT_FOUND, or NAMESPACE_NOT_FOUND when that is what is missing. */
export const findChannel = async (reads: Reads, names: ChannelNames): Promise<StoredResource> => {
  const key = recordKey('Channel', names.ns, names.channel);
  const record = await reads.resources.get(key);
  if (record !== undefined) return record;
  await requireNamespace(reads, names.ns);
  throw resourceNotFound(key);
};

/** FAILED_PRECONDITION CHANNEL_CLOSED for a closed channel, RESOURCE_DELETING for one that goes. */
export const requireOpen = (record: StoredResource): void => {
  const metadata = { ns: record.key.namespace, channel: record.key.name };
  if (record.deletionTimestamp !== undefined)
    throw new Fault('FAILED_PRECONDITION', 'RESOURCE_DELETING', `channel ${record.key.name} is being deleted`, {
      metadata,
    });
  if (phaseOf(record.annotations) === 'closed')
    throw new Fault('FAILED_PRECONDITION', 'CHANNEL_CLOSED', `channel ${record.key.name} is closed`, { metadata });
};
