import { NamespaceSchema } from '@svc/api/resources';
import { flatResource, mergeMember } from '../../../operations/index.ts';

/** CreateNamespace: the namespace bare, under its kind, or as the fields of the request. */
export const namespaceBody = flatResource(NamespaceSchema, {
  nameField: 'name',
  takeSpec: (spec, own, { check }) => {
    check(spec);
    mergeMember(own, 'parent', { value: spec['parent'] === '' ? undefined : spec['parent'], at: 'spec.parent' });
  },
});
