import { isSameHash, secretHash } from '../../../../auth/index.ts';
import type { Random } from '../../../../base/index.ts';
import type { ConnectorSecretRow, ReadTx, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';

type Secrets = Pick<WriteTx, 'connectorSecrets'>;

const FORM = /^svcb_([0-9a-f]{32})_[0-9a-f]{64}$/;
const ID_BYTES = 16;
const RANDOM_BYTES = 32;
/** Issued secrets that a class keeps: each was sent, and may or may not have arrived. */
const ISSUED_MAX = 8;
/** Far more than a class can have: those that were issued, the current one, and a few that are being replaced. */
const SECRETS_MAX = 100;

/** A secret that was made: its row, and the text that is shown once. */
export interface NewSecret {
  readonly id: string;
  readonly text: string;
}

/**
 * Stores a new secret of a class before its service learns it, so that the service can never hold one that is not known here.
 * `body` is what the class is registered as with it.
 */
export const issueSecret = async (
  tx: Secrets & Pick<WriteTx, 'steadyNow'>,
  { key, uid }: StoredResource,
  of: { readonly random: Pick<Random, 'fill'>; readonly body: string },
): Promise<NewSecret> => {
  const hex = (bytes: number): string => Buffer.from(of.random.fill(new Uint8Array(bytes))).toString('hex');
  const id = hex(ID_BYTES);
  const text = `svcb_${id}_${hex(RANDOM_BYTES)}`;
  const issued = (await secretsOf(tx, uid)).filter(({ state }) => state === 'issued');
  for (const { id: oldest } of issued.slice(0, Math.max(0, issued.length - ISSUED_MAX + 1)))
    await tx.connectorSecrets.remove({ id: oldest });
  await tx.connectorSecrets.put({
    id,
    classUid: uid,
    namespace: key.namespace,
    className: key.name,
    hash: secretHash(text).toString('hex'),
    state: 'issued',
    createdAt: tx.steadyNow(),
    acceptedUntil: 0,
    body: of.body,
  });
  return { id, text };
};

const secretsOf = (tx: Secrets, classUid: string): Promise<readonly ConnectorSecretRow[]> =>
  tx.connectorSecrets.page('ofClass', { classUid }, { limit: SECRETS_MAX });

/** The secret that a text is, while it is accepted; looked up by its id and compared in constant time. */
export const findSecret = async (
  reads: Pick<ReadTx, 'connectorSecrets'>,
  text: string,
  now: number,
): Promise<ConnectorSecretRow | undefined> => {
  const [, id] = FORM.exec(text) ?? [];
  const row = id === undefined ? undefined : await reads.connectorSecrets.get({ id });
  if (row === undefined || !isSameHash(secretHash(text), row.hash)) return undefined;
  return row.state === 'retiring' && row.acceptedUntil <= now ? undefined : row;
};

/** The secret counts from now on; the one before is accepted for a while, and those before that go. */
export const makeCurrent = async (
  tx: Secrets & Pick<WriteTx, 'steadyNow'>,
  { id, classUid }: Pick<ConnectorSecretRow, 'id' | 'classUid'>,
  overlapMicros: number,
): Promise<void> => {
  const now = tx.steadyNow();
  for (const row of await secretsOf(tx, classUid)) {
    if (row.id === id) await tx.connectorSecrets.put({ ...row, state: 'current', acceptedUntil: 0 });
    else if (row.state === 'current')
      await tx.connectorSecrets.put({ ...row, state: 'retiring', acceptedUntil: now + overlapMicros });
    else if (row.state === 'retiring' && row.acceptedUntil <= now) await tx.connectorSecrets.remove({ id: row.id });
  }
};

/** Accepts an issued secret for a while only, because a newer one is current already; false where none is newer. */
export const retireOutdated = async (
  tx: Secrets & Pick<WriteTx, 'steadyNow'>,
  secret: ConnectorSecretRow,
  overlapMicros: number,
): Promise<boolean> => {
  const rows = await secretsOf(tx, secret.classUid);
  if (!rows.some(({ state, createdAt }) => state === 'current' && createdAt > secret.createdAt)) return false;
  await tx.connectorSecrets.put({ ...secret, state: 'retiring', acceptedUntil: tx.steadyNow() + overlapMicros });
  return true;
};

/** Forgets a secret that its service certainly did not take; one that became valid meanwhile stays. */
export const forgetIssued = async (tx: Secrets, id: string): Promise<void> => {
  const row = await tx.connectorSecrets.get({ id });
  if (row?.state === 'issued') await tx.connectorSecrets.remove({ id });
};

/** Forgets every secret of a class that is deleted. */
export const forgetSecrets = async (tx: Secrets, classUid: string): Promise<void> => {
  await tx.connectorSecrets.removeAll('ofClass', { classUid });
};
