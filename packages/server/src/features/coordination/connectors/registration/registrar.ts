import { BackgroundWork, backoffMs, isFault, type Log, type Random } from '../../../../base/index.ts';
import type { NamespaceFacts, QueueWorker, ReconcileOutcome, WorkItem } from '../../../../controllers/contract.ts';
import { recordKey } from '../../../../resources/index.ts';
import type { Store, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { forgetIssued, issueSecret, makeCurrent, type NewSecret } from '../callbacks/index.ts';
import { classState, type RegisteredAs } from './class-state.ts';
import { type ClassRecordDeps, changeClass } from './class-status.ts';
import { type RegisterCallDeps, registerCall } from './register-call.ts';
import { type FailedAttempt, failedAttempt, REGISTRATION_BACKOFF } from './registration-rules.ts';
import { isRegisteredAs, type WantedDeps, wantedRegistration } from './wanted-registration.ts';

/** Durable timer of a class: its next attempt to register, or the next change of its secret; key = uid of the class. */
const REGISTRATION = 'connector.registration';
/** When another process may take an attempt over; longer than any attempt takes. */
const HOLD_MS = 120_000;
const BUSY_MS = 1_000;
const MAX_AT_ONCE = 16;
const MICROS_PER_MS = 1_000;

/** Payload of a timer. */
interface Due {
  readonly namespace: string;
  readonly name: string;
  /** Attempts that failed in a row. */
  readonly failures: number;
}

export interface RegistrarDeps extends ClassRecordDeps, WantedDeps, RegisterCallDeps {
  readonly seal: WantedDeps['seal'];
  readonly environment: WantedDeps['environment'];
  readonly store: Pick<Store, 'write' | 'direct' | 'steadyNow'>;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly random: Random;
  readonly log: Log;
  /** `connectors.secretRotationSeconds`. */
  readonly rotationMs: number;
  /** `connectors.secretOverlapSeconds`. */
  readonly overlapMs: number;
  /** Connectors of the class may be able to take their routes now. */
  readonly classAccepted: (tx: WriteTx, classUid: string) => Promise<void>;
}

/** Has the class registered at once, in place of a later attempt. */
export const registerSoon = (
  tx: WriteTx,
  { key, uid }: Pick<StoredResource, 'key' | 'uid'>,
  { failures = 0, inMs = 0, onlyNew = false }: { failures?: number; inMs?: number; onlyNew?: boolean } = {},
): Promise<void> => {
  const payload: Due = { namespace: key.namespace, name: key.name, failures };
  const dueAt = tx.steadyNow() + inMs * MICROS_PER_MS;
  const item = { kind: REGISTRATION, key: uid, dueAt, attempts: 0, payload: JSON.stringify(payload) };
  return tx.queue.put(item, { replace: !onlyNew });
};

/** The class needs no timer any more. */
export const cancelRegistration = (tx: WriteTx, classUid: string): Promise<void> =>
  tx.queue.cancel(REGISTRATION, classUid);

interface Attempt {
  readonly record: StoredResource;
  readonly as: RegisteredAs;
  readonly secretId: string;
  readonly failures: number;
}

/**
 * Registers classes with their services. A timer of the queue holds the work until it is done; the requests run next to the queue, so
 * that a slow service holds up no one else. The secret is stored before the request: whatever the service took is accepted, also when this
 * process dies before it learns of that.
 */
export class Registrar implements QueueWorker {
  readonly kinds = [REGISTRATION];
  readonly #deps: RegistrarDeps;
  readonly #attempts: BackgroundWork;

  constructor(deps: RegistrarDeps) {
    this.#deps = deps;
    this.#attempts = new BackgroundWork({
      max: MAX_AT_ONCE,
      // The item is still there and becomes due again.
      failed: (error) => deps.log.warn('a connector class could not be registered', { reason: String(error) }),
    });
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    if (this.#attempts.has(item.key)) return { againMs: BUSY_MS };
    const due = JSON.parse(item.payload) as Due;
    const isBegun = this.#attempts.start(item.key, ({ signal }) => this.#attempt(item.key, due, signal));
    return { againMs: isBegun ? HOLD_MS : BUSY_MS };
  }

  /** Resolves once nothing is under way any more. */
  settled(): Promise<void> {
    return this.#attempts.settled();
  }

  /** Ends what is under way; the queue still holds it. */
  close(): Promise<void> {
    return this.#attempts.close();
  }

  async #attempt(uid: string, due: Due, signal: AbortSignal): Promise<void> {
    const { store, rotationMs } = this.#deps;
    const key = recordKey('ConnectorClass', due.namespace, due.name);
    const record = await store.direct.resources.get(key);
    if (record?.uid !== uid || record.deletionTimestamp !== undefined || !(await this.#isLive(due.namespace)))
      return store.write((tx) => cancelRegistration(tx, uid));
    const wanted = await wantedRegistration(this.#deps, record);
    if ('problem' in wanted)
      return this.#failed(
        record,
        { failures: due.failures },
        failedAttempt('CredentialUnavailable', wanted.problem, true),
      );
    const { registered, failure } = classState(record.annotations);
    const leftMs = rotationMs - (store.steadyNow() - (registered?.at ?? 0)) / MICROS_PER_MS;
    // After a failure only an attempt shows that the service takes the class.
    if (failure === undefined && leftMs > 0 && isRegisteredAs(this.#deps, registered, { ...wanted, uid }))
      return store.write(async (tx) => {
        if (!(await hasOtherWants(tx, record))) await registerSoon(tx, record, { inMs: leftMs });
      });
    const secret = await this.#issue(record, wanted.as);
    // The class was deleted meanwhile, and its timer with it.
    if (secret === undefined) return;
    const attempt = { record, as: wanted.as, secretId: secret.id, failures: due.failures };
    const call = { key, ...wanted, secret: secret.text, signal };
    const outcome = await registerCall(this.#deps, call);
    await (outcome.isRegistered ? this.#registered(attempt) : this.#failed(record, attempt, outcome));
  }

  #issue(record: StoredResource, as: RegisteredAs): Promise<NewSecret | undefined> {
    const { store, random } = this.#deps;
    return store.write(async (tx) => {
      const current = await tx.resources.get(record.key);
      return current?.uid === record.uid ? issueSecret(tx, record, { random, body: JSON.stringify(as) }) : undefined;
    });
  }

  async #isLive(namespace: string): Promise<boolean> {
    const { namespaces, store } = this.#deps;
    try {
      await namespaces.requireLive(store.direct, namespace);
      return true;
    } catch (error) {
      if (isFault(error) && error.reason.startsWith('NAMESPACE_')) return false;
      throw error;
    }
  }

  #registered({ record, as, secretId }: Attempt): Promise<void> {
    return this.#deps.store.write(async (tx) => {
      const secret = await tx.connectorSecrets.get({ id: secretId });
      if (secret === undefined) return;
      await acceptRegistration(this.#deps, tx, { classOf: record, secretId, as });
      // The class may have changed during the request: the next run of the timer compares, and waits until the secret is to change.
      await registerSoon(tx, record);
    });
  }

  #failed(
    record: StoredResource,
    { failures, secretId }: { readonly failures: number; readonly secretId?: string },
    outcome: FailedAttempt,
  ): Promise<void> {
    const inMs = backoffMs(REGISTRATION_BACKOFF, failures + 1, this.#deps.random);
    return this.#deps.store.write(async (tx) => {
      const secret = secretId === undefined ? undefined : await tx.connectorSecrets.get({ id: secretId });
      // The service called with the secret during the request: it took the registration, whatever became of its answer.
      if (secret !== undefined && secret.state !== 'issued') return registerSoon(tx, record);
      if (secretId !== undefined && outcome.isCertain) await forgetIssued(tx, secretId);
      const isOutdated = await hasOtherWants(tx, record);
      const { reason, message } = outcome;
      await changeClass({ deps: this.#deps, tx }, record, (state) => ({
        ...state,
        generation: record.generation,
        failure: { reason, message },
      }));
      if (!isOutdated) await registerSoon(tx, record, { failures: failures + 1, inMs });
    });
  }
}

/** True when the class was deleted, or is to be registered as something else, since it was read: then its timer is right as it is. */
const hasOtherWants = async (tx: WriteTx, { key, uid, annotations }: StoredResource): Promise<boolean> => {
  const current = await tx.resources.get(key);
  if (current?.uid !== uid) return true;
  const wants = (of: StoredResource['annotations']): string => JSON.stringify(classState(of).attempting ?? {});
  return wants(current.annotations) !== wants(annotations);
};

/** Has the service registered again although nothing changed here; until then the registration stays in force. */
export const registerAgain = async (
  deps: ClassRecordDeps,
  tx: WriteTx,
  classOf: Pick<StoredResource, 'key' | 'uid'>,
): Promise<void> => {
  const record = await tx.resources.get(classOf.key);
  if (record?.uid !== classOf.uid || classState(record.annotations).registered === undefined) return;
  await changeClass({ deps, tx }, record, (state) =>
    state.registered === undefined ? state : { ...state, registered: { ...state.registered, at: 0 } },
  );
  await registerSoon(tx, record);
};

export interface AcceptDeps extends ClassRecordDeps, Pick<RegistrarDeps, 'overlapMs' | 'classAccepted'> {}

/** The service took the secret: the class is registered, in the caller's transaction. */
export const acceptRegistration = async (
  deps: AcceptDeps,
  tx: WriteTx,
  accepted: {
    readonly classOf: Pick<StoredResource, 'key' | 'uid'>;
    readonly secretId: string;
    readonly as: RegisteredAs;
  },
): Promise<void> => {
  const { classOf, secretId, as } = accepted;
  await makeCurrent(tx, { id: secretId, classUid: classOf.uid }, deps.overlapMs * MICROS_PER_MS);
  await changeClass({ deps, tx }, classOf, ({ failure: _failure, ...state }) => ({
    ...state,
    generation: as.generation,
    registered: { ...as, at: tx.steadyNow() },
  }));
  await deps.classAccepted(tx, classOf.uid);
};
