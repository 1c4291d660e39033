import { WorkflowService } from '@svc/api/gateway';
import { type Operation, operator, unserved, viewer } from '../../../operations/index.ts';

const { method } = WorkflowService;

/** The operations of WorkflowService. Nothing runs workflows yet, so none is served. */
export const workflowOperations: readonly Operation[] = [
  unserved(method.createRun, { access: operator('fields'), repeatable: true }),
  unserved(method.getRun, { access: viewer('fields') }),
  unserved(method.listRuns, { access: viewer('fields') }),
  unserved(method.resumeRun, { access: operator('fields') }),
  unserved(method.cancelRun, { access: operator('fields') }),
  unserved(method.streamRunEvents, { access: viewer('fields') }),
];
