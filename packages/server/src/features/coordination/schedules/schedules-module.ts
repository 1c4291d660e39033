import { type LabelSettings, labelLimits, notExecuted } from '../../../resources/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { createInputCheck } from './input-check.ts';
import { type ScheduleKindDeps, scheduleContract } from './schedule-kind.ts';
import { scheduleOperations } from './schedule-operations.ts';
import type { SchedulesDeps } from './schedule-service.ts';
import { type ScheduleToolsDeps, scheduleTools } from './schedule-tools.ts';

const MS_PER_SECOND = 1_000;

interface SchedulesModuleDeps
  extends Omit<SchedulesDeps, 'limits' | 'notExecuted'>,
    Pick<ScheduleKindDeps, 'namespaces'>,
    Pick<ScheduleToolsDeps, 'visibleNamespaces'> {
  readonly settings: LabelSettings & {
    /** In milliseconds. */
    readonly 'schedules.minSpacingSeconds': number;
    readonly 'limits.schedulesMax': number;
  };
}

/** The kind Schedule with its operations, next instants and conditions. */
export const schedulesModule = (deps: SchedulesModuleDeps): FeatureModule => {
  const { store, settings } = deps;
  const minSpacingSeconds = settings['schedules.minSpacingSeconds'] / MS_PER_SECOND;
  const made = { ...deps, notExecuted: notExecuted('Schedule') };
  return {
    kinds: [
      scheduleContract({
        ...made,
        now: () => store.now(),
        minSpacingSeconds,
        schedulesMax: settings['limits.schedulesMax'],
        inputCheck: createInputCheck(),
      }),
    ],
    tools: scheduleTools(deps),
    operations: scheduleOperations({ ...made, limits: { ...labelLimits(settings), minSpacingSeconds } }),
  };
};
