import type { PeerPush } from '../../../protocols/a2a/contract.ts';
import type { ValueSeal } from '../../../resources/index.ts';
import type { TaskPushRow, WriteTx } from '../../../store/contracts/index.ts';
import type { PushRecord, PushSecrets } from './push-rules.ts';

/** Queue item: states of a task wait for an address; key = `<turn>/<id>` of the row of `task_pushes`. */
export const TASK_PUSH = 'a2a.push';

export type PushKey = Pick<TaskPushRow, 'turnId' | 'id'>;

const placeOf = ({ turnId, id }: PushKey): string => `a2a-push/${turnId}/${id}`;

export const parsePush = (row: Pick<TaskPushRow, 'body'>): PushRecord => JSON.parse(row.body) as PushRecord;

export const withPush = (row: TaskPushRow, record: PushRecord): TaskPushRow => ({
  ...row,
  body: JSON.stringify(record),
});

/** What is shown of an address: neither its token nor its credentials. */
export const shownPush = (row: TaskPushRow): PeerPush => {
  const { url, scheme, form } = parsePush(row);
  return { taskId: row.turnId, id: row.id, url, token: '', scheme, credentials: '', form };
};

export const sealPush = (seal: Pick<ValueSeal, 'seal'>, key: PushKey, { token, credentials }: PushSecrets): string =>
  seal.seal(placeOf(key), JSON.stringify({ token, credentials }));

/** Undefined where the key that encrypted it is lost. */
export const openPush = (seal: Pick<ValueSeal, 'open'>, row: TaskPushRow): PushSecrets | undefined => {
  const text = seal.open(placeOf(row), row.sealed);
  return text === undefined ? undefined : (JSON.parse(text) as PushSecrets);
};

/** Encrypts what the row keeps sealed with the newest key; undefined where that is done, or cannot be. */
export const resealed = (seal: ValueSeal, row: TaskPushRow): TaskPushRow | undefined => {
  const text = seal.isNewest(row.sealed) ? undefined : seal.open(placeOf(row), row.sealed);
  return text === undefined ? undefined : { ...row, sealed: seal.seal(placeOf(row), text) };
};

const itemKey = ({ turnId, id }: PushKey): string => `${turnId}/${id}`;

/** The row that an item of the queue is about. */
export const keyOfItem = (key: string): PushKey => {
  const end = key.indexOf('/');
  return { turnId: key.slice(0, end), id: key.slice(end + 1) };
};

/** Has what waits sent. An item that there is stays as it is, unless it is replaced: states keep their order, and pauses their length. */
export const putDelivery = (
  tx: Pick<WriteTx, 'queue' | 'steadyNow'>,
  key: PushKey,
  options: { readonly delayMs?: number; readonly replace?: boolean } = {},
): Promise<void> => {
  const { delayMs = 0, replace = false } = options;
  const dueAt = tx.steadyNow() + delayMs * 1_000;
  return tx.queue.put({ kind: TASK_PUSH, key: itemKey(key), dueAt, attempts: 0, payload: '{}' }, { replace });
};

export const cancelDelivery = (tx: Pick<WriteTx, 'queue'>, key: PushKey): Promise<void> =>
  tx.queue.cancel(TASK_PUSH, itemKey(key));
