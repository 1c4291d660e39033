import type { ResourceMeta } from '@svc/api/resources';
import type { FieldViolation } from '../../base/index.ts';
import { isName, nameForm } from './names.ts';

/** What a request with a whole resource is addressed by; without a name it creates one. */
export interface PathNames {
  readonly ns: string;
  readonly name?: string;
}

const differs = (field: string): FieldViolation => ({
  field,
  description: 'differs from the path',
  reason: 'PATH_BODY_MISMATCH',
});

/** Faults of the names in a body: the form of the name at creation, and what contradicts the path. */
export const checkPathNames = (
  metadata: Pick<ResourceMeta, 'name' | 'namespace'> | undefined,
  path: PathNames,
): readonly FieldViolation[] => {
  const { name = '', namespace = '' } = metadata ?? {};
  const faults: FieldViolation[] = [];
  if (path.name === undefined && !isName('plain', name))
    faults.push({ field: 'metadata.name', description: `must be ${nameForm.plain}`, reason: 'NAME_INVALID' });
  if (path.name !== undefined && name !== '' && name !== path.name) faults.push(differs('metadata.name'));
  if (namespace !== '' && namespace !== path.ns) faults.push(differs('metadata.namespace'));
  return faults;
};
