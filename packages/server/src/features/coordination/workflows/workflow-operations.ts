import { WorkflowService } from '@svc/api/gateway';
import { type Operation, operation, operator, viewer } from '../../../operations/index.ts';
import type { RunService, RunStreams } from './api/index.ts';

const { method } = WorkflowService;

/** The operations of WorkflowService. */
export const workflowOperations = (runs: RunService, streams: RunStreams): readonly Operation[] => [
  operation(method.createRun, {
    access: operator('fields'),
    repeatable: true,
    waits: (request) => request.waitSeconds,
    handle: (request, call) => runs.create(request, call),
  }),
  operation(method.getRun, { access: viewer('fields'), handle: (request) => runs.get(request) }),
  operation(method.listRuns, { access: viewer('fields'), handle: (request) => runs.list(request) }),
  operation(method.resumeRun, { access: operator('fields'), handle: (request, call) => runs.resume(request, call) }),
  operation(method.cancelRun, { access: operator('fields'), handle: (request, call) => runs.cancel(request, call) }),
  operation(method.streamRunEvents, {
    access: viewer('fields'),
    cursorField: 'after',
    handle: (request, call, sink) => streams.stream(request, call, sink),
  }),
];
