import { Fault, isFault } from '../../../base/index.ts';
import type { ResourceWriter, StatusChange, SystemKeys } from '../../../controllers/contract.ts';
import type { ResourceKey, Store, StoredResource } from '../../../store/contracts/index.ts';
import { FACT, fileSpec, objectOf } from './file-facts.ts';
import { fileStatus } from './file-status.ts';

/** A change of private keys with the status that follows from it. */
export const statusFor = (current: StoredResource, system: SystemKeys, now: number): StatusChange => {
  const kept = Object.entries({ ...current.annotations, ...system.annotations });
  const annotations = Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== undefined));
  const { generation, status, key } = current;
  const subject = { namespace: key.namespace, spec: fileSpec(current), annotations, generation, status };
  return { status: fileStatus(subject, now), system };
};

/** Bytes that are gone are lost like damaged ones. */
export const isLost = (error: unknown): boolean =>
  isFault(error) && (error.code === 'DATA_LOSS' || error.reason === 'OBJECT_NOT_FOUND');

/** DATA_LOSS OBJECT_DAMAGED, for whatever way bytes were lost. */
export const objectLost = (cause: unknown): Fault =>
  new Fault('DATA_LOSS', 'OBJECT_DAMAGED', 'the stored bytes are damaged', { cause });

/** Runs a read of bytes that belong to no file; throws DATA_LOSS OBJECT_DAMAGED when they are lost. */
export const unlessLost = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw isLost(error) ? objectLost(error) : error;
  }
};

/** Makes a file Failed whose bytes could not be read, unless it shows others by now; false for any other error. */
export const markDamaged = async (
  deps: { readonly store: Pick<Store, 'write'>; readonly writer: Pick<ResourceWriter, 'writeStatus'> },
  key: ResourceKey,
  found: { readonly error: unknown; readonly sha256: string },
): Promise<boolean> => {
  const { error, sha256 } = found;
  if (!isLost(error)) return false;
  await deps.store.write(async (tx) => {
    await deps.writer.writeStatus(tx, key, (current) =>
      objectOf(current.annotations)?.sha256 === sha256
        ? statusFor(current, { annotations: { [FACT.damaged]: sha256 } }, tx.now())
        : undefined,
    );
  });
  return true;
};
