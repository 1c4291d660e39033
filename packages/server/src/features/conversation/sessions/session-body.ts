import { SessionSchema } from '@svc/api/resources';
import { fill, flatResource, mergeMember, NOT_AT_CREATION } from '../../../operations/index.ts';

/** CreateSession: the session bare, under its kind, or as the fields of the request. */
export const sessionBody = flatResource(SessionSchema, {
  refused: {
    name: 'the server gives a session its id',
    annotations: NOT_AT_CREATION,
    ownerReferences: NOT_AT_CREATION,
    finalizers: NOT_AT_CREATION,
    resourceVersion: 'belongs to a stored session, and this call makes a new one: leave it out',
  },
  takeSpec: (spec, own, { path, check }) => {
    check(spec);
    mergeMember(own, 'labels', { value: spec['labels'], at: 'spec.labels' });
    if (spec['agent'] !== undefined && spec['agent'] !== '')
      fill({ agent: path['agent'] }, 'agent', { value: spec['agent'], at: 'spec.agent' });
  },
});
