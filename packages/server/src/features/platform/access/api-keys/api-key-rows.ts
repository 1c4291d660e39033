import { Fault } from '../../../../base/index.ts';
import type { InstanceValues, ReadTx, WriteTx } from '../../../../store/contracts/index.ts';
import type { ApiKeyRecord } from './api-key-record.ts';

/**
 * Where API keys are kept: values of the instance, so that no list, watch or export of resources can ever show them and
 * every engine has them without a table of their own. `api-key/<id>` holds a record, `api-keys/<n>` the id of the n-th key,
 * `api-keys` how many there are. The last use is kept next to them as activity, because it changes with traffic.
 */
const COUNT = 'api-keys';
const placeOf = (ordinal: number): string => `${COUNT}/${ordinal}`;
const recordOf = (id: string): string => `api-key/${id}`;

/** Most keys of an instance, revoked ones included. */
const API_KEYS_MAX = 100_000;

type Values = Pick<InstanceValues, 'value'>;

/** The record of a key; undefined when there is none. */
export const findApiKey = async (values: Values, id: string): Promise<ApiKeyRecord | undefined> => {
  const text = await values.value(recordOf(id));
  return text === undefined ? undefined : (JSON.parse(text) as ApiKeyRecord);
};

const countApiKeys = async (values: Values): Promise<number> => Number((await values.value(COUNT)) ?? 0);

/** Adds a key; RESOURCE_EXHAUSTED QUOTA_EXCEEDED when the instance holds the most it may. */
export const insertApiKey = async (tx: WriteTx, record: ApiKeyRecord): Promise<void> => {
  const count = await countApiKeys(tx.instance);
  if (count >= API_KEYS_MAX)
    throw new Fault('RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', `there are ${API_KEYS_MAX} API keys already`);
  await tx.instance.setValue(COUNT, String(count + 1));
  await tx.instance.setValue(placeOf(count), record.id);
  await replaceApiKey(tx, record);
};

/** Writes a record again, at its position. */
export const replaceApiKey = (tx: WriteTx, record: ApiKeyRecord): Promise<void> =>
  tx.instance.setValue(recordOf(record.id), JSON.stringify(record));

export interface ApiKeyPlace {
  readonly ordinal: number;
  readonly record: ApiKeyRecord;
}

/** Keys that `wanted` says yes to, newest first, with ordinals below `before` (absent = all); at most `limit`. */
export const listApiKeys = async (
  values: Values,
  query: {
    readonly before: number | undefined;
    readonly limit: number;
    readonly wanted: (record: ApiKeyRecord) => boolean;
  },
): Promise<readonly ApiKeyPlace[]> => {
  const found: ApiKeyPlace[] = [];
  const start = Math.min(query.before ?? API_KEYS_MAX, await countApiKeys(values));
  for (let ordinal = start - 1; ordinal >= 0 && found.length < query.limit; ordinal--) {
    const id = await values.value(placeOf(ordinal));
    const record = id === undefined ? undefined : await findApiKey(values, id);
    if (record !== undefined && query.wanted(record)) found.push({ ordinal, record });
  }
  return found;
};

/** When keys were used last, in micros; keys that never were are absent. Exact to a minute. */
export const lastUses = async (
  tx: Pick<ReadTx, 'resources'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const activity = await tx.resources.activity(ids);
  return new Map([...activity].map(([id, text]) => [id, (JSON.parse(text) as { lastUsedAt: number }).lastUsedAt]));
};

/** Notes a use of a key. */
export const noteUse = (tx: WriteTx, id: string, at: number): Promise<void> =>
  tx.resources.setActivity(id, JSON.stringify({ lastUsedAt: at }));
