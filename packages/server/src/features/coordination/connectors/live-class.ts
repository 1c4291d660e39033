import type { Caller, CallerRegistration } from '../../../auth/contract.ts';
import { assert, Fault, invalidField } from '../../../base/index.ts';
import type { NamespaceFacts } from '../../../controllers/contract.ts';
import { recordKey, resourceNotFound } from '../../../resources/index.ts';
import type { ReadTx, StoredResource } from '../../../store/contracts/index.ts';
import { parseRegistrationId } from './registration-id.ts';

export interface LiveClassDeps {
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
}

/** The registration of a caller with a callback secret; transport lets no other caller in. */
export const registrationOf = ({ registration }: Caller): CallerRegistration => {
  assert(registration !== undefined, 'the caller has a callback secret');
  return registration;
};

/** Refuses a call for another registration than that of its secret; '' means that of the secret. */
export const requireRegistration = (registration: CallerRegistration, registrationId: string): void => {
  if (registrationId === '') return;
  const { namespace, className } = registration;
  const names = parseRegistrationId(registrationId);
  if (names === undefined)
    throw invalidField('registrationId', 'must be Namespace/<ns>/ConnectorClass/<name>', 'REGISTRATION_ID');
  if (names.namespace !== namespace || names.name !== className)
    throw new Fault('PERMISSION_DENIED', 'REGISTRATION', 'the callback secret is that of another registration');
};

/** The class of a registration, while it takes events. Throws NAMESPACE_DELETED, CLASS_NOT_READY, CONNECTOR_CLASS_NOT_FOUND. */
export const requireLiveClass = async (
  { namespaces }: LiveClassDeps,
  reads: Pick<ReadTx, 'resources'>,
  { classUid, namespace, className }: CallerRegistration,
): Promise<StoredResource> => {
  await namespaces.requireLive(reads, namespace);
  const key = recordKey('ConnectorClass', namespace, className);
  const record = await reads.resources.get(key);
  if (record?.uid !== classUid) throw resourceNotFound(key);
  if (record.deletionTimestamp !== undefined)
    throw new Fault('FAILED_PRECONDITION', 'CLASS_NOT_READY', `connector class ${className} is being deleted`);
  return record;
};
