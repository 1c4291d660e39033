import { create } from '@bufbuild/protobuf';
import { AdminService, type RotateSecretKeyResponse, RotateSecretKeyResponseSchema } from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import type { AppendAudit } from '../../../controllers/contract.ts';
import { admin, type Operation, operation } from '../../../operations/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import { noteKey } from './noted-key.ts';
import type { SecretKeys } from './secret-keys.ts';

interface SecretOperationsDeps {
  readonly store: Pick<Store, 'write'>;
  readonly keys: Pick<SecretKeys, 'addKey' | 'ring'>;
  readonly audit: AppendAudit;
  /** Kind of the queue item that re-encrypts what is stored. */
  readonly resealKind: string;
}

/** RotateSecretKey. */
export const secretOperations = (deps: SecretOperationsDeps): readonly Operation[] => [
  operation(AdminService.method.rotateSecretKey, {
    access: admin('unscoped'),
    handle: (_request, context) => rotate(deps, context),
  }),
];

/** Writes that were under way, here or on another node, are done by then: what they encrypted by the key of before is found. */
const AGAIN_MICROS = 60_000_000;

/** The key is on disk before anything is encrypted by it; the work continues by itself, also after a restart. */
const rotate = async (deps: SecretOperationsDeps, context: CallContext): Promise<RotateSecretKeyResponse> => {
  const keyId = await deps.keys.addKey();
  await deps.store.write(async (tx) => {
    const item = { kind: deps.resealKind, key: keyId, dueAt: tx.steadyNow(), attempts: 0, payload: '{"kind":0}' };
    await tx.queue.put(item, { replace: true });
    await tx.queue.put({ ...item, key: `${keyId}/again`, dueAt: tx.steadyNow() + AGAIN_MICROS }, { replace: true });
    await noteKey(tx, deps.keys.ring);
    await deps.audit(tx, context, {
      target: `SecretKey/${keyId}`,
      namespace: 'system',
      resourceVersion: '',
      outcome: 'ok',
    });
  });
  return create(RotateSecretKeyResponseSchema, { keyId });
};
