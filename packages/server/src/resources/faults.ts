import { Fault, notFound } from '../base/index.ts';
import type { RecordKey } from './record.ts';

const words = (kind: string): string => kind.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();

const names = (key: RecordKey): Record<string, string> => ({
  ...(key.kind === 'Namespace' ? {} : { ns: key.namespace }),
  ...(key.parent === '' ? {} : { parent: key.parent }),
  name: key.name,
});

/** NOT_FOUND `<KIND>_NOT_FOUND`. */
export const resourceNotFound = (key: RecordKey): Fault => notFound(key.kind, names(key));

/** NOT_FOUND as well, for a reference in a field of a written resource. */
export const referenceNotFound = (key: RecordKey, field: string): Fault => {
  const { code, reason, message, metadata } = resourceNotFound(key);
  return new Fault(code, reason, message, { metadata, violations: [{ field, description: message, reason }] });
};

/** ALREADY_EXISTS `<KIND>_EXISTS`. */
export const resourceExists = (key: RecordKey): Fault =>
  new Fault('ALREADY_EXISTS', `${words(key.kind)}_EXISTS`, `${key.kind} exists already: ${key.name}`, {
    metadata: names(key),
  });

/** ABORTED CONFLICT with the version that is stored now. */
export const versionConflict = (key: RecordKey, current: number): Fault =>
  new Fault('ABORTED', 'CONFLICT', `${key.kind} ${key.name} has been changed meanwhile`, {
    metadata: { ...names(key), current: String(current) },
  });

/** FAILED_PRECONDITION RESOURCE_DELETING. */
export const resourceDeleting = (key: RecordKey): Fault =>
  new Fault('FAILED_PRECONDITION', 'RESOURCE_DELETING', `${key.kind} ${key.name} is being deleted`, {
    metadata: names(key),
  });

/** FAILED_PRECONDITION NAMESPACE_MISSING. */
export const namespaceMissing = (namespace: string): Fault =>
  new Fault('FAILED_PRECONDITION', 'NAMESPACE_MISSING', `namespace does not exist: ${namespace}`, {
    metadata: { ns: namespace },
  });

/** FAILED_PRECONDITION NAMESPACE_DELETED. */
export const namespaceDeleted = (namespace: string): Fault =>
  new Fault('FAILED_PRECONDITION', 'NAMESPACE_DELETED', `namespace is deleted: ${namespace}`, {
    metadata: { ns: namespace },
  });

/** Refuses a resource that names another namespace than its request. Throws PATH_BODY_MISMATCH. */
export const requireSameNamespace = (ns: string, given: string): void => {
  if (given === '' || given === ns) return;
  const violation = {
    field: 'metadata.namespace',
    description: 'differs from the namespace of the request',
    reason: 'PATH_BODY_MISMATCH',
  };
  throw new Fault('INVALID_ARGUMENT', 'PATH_BODY_MISMATCH', `${violation.field}: ${violation.description}`, {
    violations: [violation],
  });
};
