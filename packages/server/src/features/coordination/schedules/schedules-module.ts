import { type LabelSettings, labelLimits } from '../../../resources/index.ts';
import type { Bus } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import {
  firingTrail,
  followRuns,
  RunEnds,
  type RunScheduleDeps,
  ScheduleFiring,
  type WorkflowRuns,
} from './firing/index.ts';
import { createInputCheck } from './input-check.ts';
import { scheduleClaims } from './schedule-claims.ts';
import { type ScheduleKindDeps, scheduleContract } from './schedule-kind.ts';
import { scheduleOperations } from './schedule-operations.ts';
import type { SchedulesDeps } from './schedule-service.ts';
import { type ScheduleToolsDeps, scheduleTools } from './schedule-tools.ts';

const MS_PER_SECOND = 1_000;

interface SchedulesModuleDeps
  extends Omit<SchedulesDeps, 'limits'>,
    Omit<RunScheduleDeps, 'store' | 'writer'>,
    Pick<ScheduleKindDeps, 'namespaces'>,
    Pick<ScheduleToolsDeps, 'visibleNamespaces'> {
  readonly bus: Pick<Bus, 'publish'>;
  readonly runs: WorkflowRuns;
  readonly settings: LabelSettings & {
    /** In milliseconds. */
    readonly 'schedules.minSpacingSeconds': number;
    readonly 'limits.schedulesMax': number;
  };
}

/** The kind Schedule with its operations, next instants, conditions and runs. */
export const schedulesModule = (deps: SchedulesModuleDeps): FeatureModule => {
  const { store, settings, bus, runs } = deps;
  followRuns(runs, bus);
  const minSpacingSeconds = settings['schedules.minSpacingSeconds'] / MS_PER_SECOND;
  return {
    kinds: [
      scheduleContract({
        ...deps,
        now: () => store.now(),
        minSpacingSeconds,
        schedulesMax: settings['limits.schedulesMax'],
        inputCheck: createInputCheck(),
      }),
    ],
    workers: [new ScheduleFiring(deps), new RunEnds(deps)],
    tools: scheduleTools(deps),
    trails: [firingTrail],
    claims: [scheduleClaims],
    operations: scheduleOperations({ ...deps, limits: { ...labelLimits(settings), minSpacingSeconds } }),
  };
};
