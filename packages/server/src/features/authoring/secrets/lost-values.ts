import { formatKey, hasSensitiveFields, kinds, sealedValues } from '../../../resources/index.ts';
import { INSTANCE_TOKEN_KEY, type ReadTx, resourcePages } from '../../../store/contracts/index.ts';
import { type KeyRing, sealingKeyId } from './key-ring.ts';

type Reads = Pick<ReadTx, 'resources' | 'instance'>;

const SEALED_KINDS: readonly string[] = kinds.map(({ kind }) => kind).filter(hasSensitiveFields);

/** Stored values that no key of this process opens. */
export interface LostValues {
  readonly count: number;
  /** Ids of the keys that sealed them. */
  readonly keyIds: readonly string[];
  /** `Kind/ns/name` of the resources that hold them. */
  readonly holders: readonly string[];
}

/** Reads every resource that may hold sealed values, and finds those that the ring cannot open. */
export const findLostValues = async (
  reads: Pick<Reads, 'resources'>,
  ring: Pick<KeyRing, 'open'>,
): Promise<LostValues> => {
  const keyIds = new Set<string>();
  const holders = new Set<string>();
  let count = 0;
  for (const kind of SEALED_KINDS)
    for await (const page of resourcePages(reads.resources, { kind, scope: { type: 'all' } }))
      for (const record of page)
        for (const { place, sealed } of sealedValues(record)) {
          if (ring.open(place, sealed) !== undefined) continue;
          count += 1;
          keyIds.add(sealingKeyId(sealed));
          holders.add(formatKey(record.key));
        }
  return { count, keyIds: [...keyIds], holders: [...holders] };
};

/**
 * Id of the key that sealed what is stored, when the ring opens none of it; undefined when the ring opens something or nothing is
 * sealed. Without a ring every sealed value counts. For a store in which no node has noted its key.
 */
export const missingKeyId = async (reads: Reads, ring?: KeyRing): Promise<string | undefined> => {
  const token = await reads.instance.value(INSTANCE_TOKEN_KEY);
  if (token !== undefined && ring?.has(sealingKeyId(token)) === true) return undefined;
  let missing: string | undefined;
  for (const kind of SEALED_KINDS)
    for await (const page of resourcePages(reads.resources, { kind, scope: { type: 'all' } }))
      for (const { place, sealed } of page.flatMap(sealedValues)) {
        if (ring?.open(place, sealed) !== undefined) return undefined;
        missing ??= sealingKeyId(sealed);
      }
  return missing;
};
