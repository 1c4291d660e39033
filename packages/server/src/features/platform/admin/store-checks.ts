import { verifyAuditChain } from '../../../auth/index.ts';
import { type Clock, firstNames, type Ids } from '../../../base/index.ts';
import { type Bus, isStorageFull, type Store } from '../../../store/contracts/index.ts';
import { type Check, fail, ok, textOf, warn } from './check.ts';

/** What an engine finds out about its own files; `known` and `schema` are numbers of migrations. */
interface StoreExamination {
  readonly schema: number;
  readonly known: number;
  readonly problems: readonly string[];
}

export interface StoreFacts {
  readonly store: Pick<Store, 'read' | 'direct' | 'ping' | 'now' | 'steadyNow'>;
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
  /** `reach` throws what is wrong with the backend of object bytes. */
  readonly objects: { readonly reach: () => Promise<void> };
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'next'>;
  /** Absent for an engine whose files are another server's business. */
  readonly examine?: (signal: AbortSignal) => Promise<StoreExamination>;
}

const MICROS_PER_SECOND = 1_000_000;
/** Tokens expire by the clock; more than this and sign-ins start to fail. */
const SKEW_SECONDS = 30;
const BUS_MS = 2_000;
const RESTORE = 'stop the server and restore the newest backup: svc restore';

/** That the store answers, that its files are sound, and that its schema is this release's. */
export const checkStore = async ({ store, examine }: StoreFacts, signal: AbortSignal): Promise<readonly Check[]> => {
  try {
    await store.ping();
  } catch (error) {
    const remedy = isStorageFull(error)
      ? 'make room on that disk: writes are refused until then, and accepted again by themselves'
      : 'look at the disk and the log of the server';
    return [fail('store', textOf(error), remedy)];
  }
  if (examine === undefined) return [ok('store', 'answers')];
  let found: StoreExamination;
  try {
    found = await examine(signal);
  } catch (error) {
    return [
      ok('store', 'answers'),
      warn('store integrity', textOf(error), 'try again when the server is less busy, or check a backup'),
    ];
  }
  const [problem] = found.problems;
  const more = found.problems.length > 1 ? ` and ${found.problems.length - 1} more` : '';
  return [
    ok('store', 'answers'),
    problem === undefined ? ok('store integrity', 'sound') : fail('store integrity', `${problem}${more}`, RESTORE),
    checkSchema(found),
  ];
};

const checkSchema = ({ schema, known }: StoreExamination): Check => {
  if (schema === known) return ok('migrations', `schema ${schema}`);
  return schema < known
    ? fail('migrations', `schema ${schema}, this release needs ${known}`, 'svc migrate up')
    : warn('migrations', `schema ${schema}, this release knows ${known}`, 'install the newer release again');
};

/** The clock of the process against the clock of the store, which never goes back. */
export const checkClock = ({ clock, store }: Pick<StoreFacts, 'clock' | 'store'>): Check => {
  const seconds = Math.round((store.steadyNow() - clock.nowMicros()) / MICROS_PER_SECOND);
  const text = `${Math.abs(seconds)} s ${seconds < 0 ? 'before' : 'behind'} the clock of the store`;
  return Math.abs(seconds) > SKEW_SECONDS
    ? warn('clock', text, 'synchronise the clocks (NTP)')
    : ok('clock', 'agrees with the clock of the store');
};

/** A message to ourselves. */
export const checkBus = async ({ bus, ids, clock }: Pick<StoreFacts, 'bus' | 'ids' | 'clock'>): Promise<Check> => {
  const subject = `doctor.${ids.next()}`;
  const heard = Promise.withResolvers<boolean>();
  const stop = bus.subscribe(subject, () => heard.resolve(true));
  const cancel = clock.after(BUS_MS, () => heard.resolve(false));
  bus.publish(subject, {});
  const isHeard = await heard.promise;
  cancel();
  stop();
  return isHeard
    ? ok('bus', 'delivers')
    : fail('bus', `delivered nothing within ${BUS_MS} ms`, 'check bus.url and the network to it');
};

/** What `svc doctor` tells of the scheduled backup that failed. */
export interface FailedBackup {
  readonly tries: number;
  readonly problem: string;
}

/** That the scheduled backup was made; one whose first try still runs is well. */
export const checkBackups = async (pending: () => Promise<FailedBackup | undefined>): Promise<Check> => {
  const failed = await pending();
  if (failed === undefined || failed.problem === '') return ok('backups', 'up to date');
  const text = `the scheduled backup failed ${failed.tries} times: ${failed.problem}`;
  return fail('backups', text, 'mend what it says, or make one: svc backup');
};

/** Stored values that no key of the server opens. */
export interface LostValueFacts {
  readonly count: number;
  readonly keyIds: readonly string[];
  /** `Kind/ns/name` of the resources that hold them. */
  readonly holders: readonly string[];
}

/** That every stored secret value can be decrypted. */
export const checkSecretValues = async (lost: () => Promise<LostValueFacts>): Promise<Check> => {
  const name = 'secret values';
  const { count, keyIds, holders } = await lost();
  if (count === 0) return ok(name, 'can be decrypted');
  const where = firstNames(holders);
  const keys =
    keyIds.length === 1 ? `their key ${keyIds[0]} is missing` : `their keys ${keyIds.join(', ')} are missing`;
  return fail(
    name,
    `${count} of ${where} cannot be decrypted: ${keys}`,
    'put the keys/master.json that holds it back into the data directory and start again, or set the values again',
  );
};

/** Whether the place of object bytes can be reached. */
export const checkObjects = async ({ objects }: Pick<StoreFacts, 'objects'>): Promise<Check> => {
  try {
    await objects.reach();
    return ok('objects', 'answer');
  } catch (error) {
    return fail('objects', textOf(error), 'check objects.* and that the backend can be reached');
  }
};

/** That no one changed the audit log behind the server's back. */
export const checkAuditChain = async ({ store }: Pick<StoreFacts, 'store'>): Promise<Check> => {
  const name = 'audit chain';
  const { verified, open, broken } = await verifyAuditChain(store);
  if (broken === undefined) return ok(name, `${verified} records verified, ${open} not chained yet`);
  const what = broken === 'head' ? 'the newest records are missing' : `record ${broken} does not fit its hash`;
  return fail(name, what, 'compare the log with a backup: someone changed it outside the server');
};
