import { DONE, followKinds, type Reconciler } from '../../../../controllers/contract.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import { classState } from './class-state.ts';
import { type ClassRecordDeps, changeClass } from './class-status.ts';
import { registerSoon } from './registrar.ts';
import { isRegisteredAs, type WantedDeps, wantedRegistration } from './wanted-registration.ts';

const RESYNC_MS = 300_000;
const MICROS_PER_MS = 1_000;

export interface RegistrationTriggerDeps extends ClassRecordDeps, WantedDeps {
  readonly seal: WantedDeps['seal'];
  readonly environment: WantedDeps['environment'];
  readonly store: Pick<Store, 'write' | 'direct' | 'steadyNow'>;
  readonly rotationMs: number;
}

/**
 * Sees to it that each class has a timer: for its next attempt, at once where what it is to be registered as has changed, or for the change
 * of its secret.
 */
export const registrationTrigger = (deps: RegistrationTriggerDeps): Reconciler => ({
  name: 'connector class registration',
  kinds: ['ConnectorClass'],
  ...followKinds('ConnectorClass', { Secret: {} }),
  resyncMs: RESYNC_MS,
  reconcile: async (key) => {
    const { store } = deps;
    const record = await store.direct.resources.get(key);
    if (record === undefined || record.deletionTimestamp !== undefined) return DONE;
    const wanted = await wantedRegistration(deps, record);
    const { registered, attempting, failure } = classState(record.annotations);
    if ('problem' in wanted) {
      await store.write((tx) => registerSoon(tx, record, { onlyNew: true }));
      return DONE;
    }
    const now = { ...wanted, uid: record.uid };
    if (failure === undefined && isRegisteredAs(deps, registered, now)) {
      const inMs = Math.max(0, deps.rotationMs - (store.steadyNow() - (registered?.at ?? 0)) / MICROS_PER_MS);
      await store.write((tx) => registerSoon(tx, record, { inMs, onlyNew: true }));
    } else if (isRegisteredAs(deps, attempting, now)) {
      await store.write((tx) => registerSoon(tx, record, { onlyNew: true }));
    } else {
      await store.write(async (tx) => {
        await changeClass({ deps, tx }, record, (state) => ({ ...state, attempting: wanted.as }));
        await registerSoon(tx, record);
      });
    }
    return DONE;
  },
});
