import type { ResourceMeta } from '@svc/api/resources';
import type { FieldViolation } from '../../base/index.ts';
import { isName, nameForm } from './names.ts';

/** The address in a request with a whole resource; without a name it creates one. */
export interface PathNames {
  readonly ns: string;
  readonly name?: string;
}

const differs = (field: string): FieldViolation => ({
  field,
  description: 'differs from the path',
  reason: 'PATH_BODY_MISMATCH',
});

/** Errors of the names in a body: malformed names at creation, and contradictions to the path. */
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
