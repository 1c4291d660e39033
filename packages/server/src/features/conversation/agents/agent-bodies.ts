import { AgentSchema } from '@svc/api/resources';
import { flatResource, type Json, mergeMember, NOT_AT_CREATION } from '../../../operations/index.ts';

const takeSpec = (spec: Json, own: Json): void => mergeMember(own, 'spec', { value: spec, at: 'spec' });

/** CreateAgent: the agent bare, under its kind, or as the fields of the request. */
export const createdAgentBody = flatResource(AgentSchema, {
  nameField: 'name',
  refused: { ownerReferences: NOT_AT_CREATION, finalizers: NOT_AT_CREATION },
  takeSpec,
});

/** ModifyAgent: as for CreateAgent; the name of the agent is in the path. */
export const modifiedAgentBody = flatResource(AgentSchema, { nameField: 'agent', takeSpec });
