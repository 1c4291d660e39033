import { recordKey } from '../../../../resources/index.ts';
import type { ConnectorSecretRow, Store } from '../../../../store/contracts/index.ts';
import { retireOutdated } from '../callbacks/index.ts';
import type { RegisteredAs } from './class-state.ts';
import { type AcceptDeps, acceptRegistration, registerAgain } from './registrar.ts';

interface SecretArrivedDeps extends AcceptDeps {
  readonly store: Pick<Store, 'write'>;
}

const MICROS_PER_MS = 1_000;

/**
 * A service called with a secret that was issued: it took the registration that the secret was sent with. Where a newer secret is current
 * the two requests overtook each other, and which of the secrets the service keeps cannot be known: both are accepted until it has a third one.
 */
export const secretArrived = (
  deps: SecretArrivedDeps,
  { id, classUid, namespace, className, body }: ConnectorSecretRow,
): Promise<void> =>
  deps.store.write(async (tx) => {
    const secret = await tx.connectorSecrets.get({ id });
    if (secret?.state !== 'issued') return;
    const classOf = { key: recordKey('ConnectorClass', namespace, className), uid: classUid };
    if (await retireOutdated(tx, secret, deps.overlapMs * MICROS_PER_MS)) return registerAgain(deps, tx, classOf);
    const as = JSON.parse(body) as RegisteredAs;
    await acceptRegistration(deps, tx, { classOf, secretId: id, as });
  });
