import { type CompactionPorts, createCompaction } from './compaction-step.ts';
import type { LoopStep } from './contract.ts';
import { createHarnessStep, type HarnessPorts } from './harness/index.ts';
import { createModelStep, type ModelPorts } from './model-step.ts';
import { createPermission, type PermissionPorts } from './permission-step.ts';
import { createQuota, type ReservePorts } from './quota-step.ts';
import { createRequests, type RequestPorts } from './request-step.ts';
import { createSteeringStep, type SteeringPorts } from './steering-step.ts';
import { createToolStep, type ToolPorts } from './tool-step.ts';

/** What all kinds of steps together are handed; each sees its own part only. */
export type StepPorts = ToolPorts &
  RequestPorts &
  PermissionPorts &
  ReservePorts &
  SteeringPorts &
  HarnessPorts &
  ModelPorts &
  CompactionPorts;

/**
 * The kinds of steps of a process, in the order in which a turn is asked whether one is due: a harness does everything itself; open
 * calls come before anything the model is asked, and the model is always due. Quota, permission and compaction are steps inside these.
 */
export const createSteps = (ports: StepPorts): readonly LoopStep[] => {
  const requests = createRequests(ports);
  const quota = createQuota(ports, requests);
  const permission = createPermission(ports, requests);
  return [
    createHarnessStep(ports, { quota, permission }),
    createToolStep(ports, { quota, requests, permission }),
    createSteeringStep(ports),
    createModelStep(ports, { quota, compaction: createCompaction(ports, quota) }),
  ];
};
