import type { Schedule } from '@svc/api/resources';
import { usePages, useRead, useWrite } from '../../api/use-call.ts';

/** Names a schedule. */
export interface ScheduleKey {
  readonly ns: string;
  readonly name: string;
}

export const useSchedules = (ns: string) =>
  usePages({
    key: ['schedules', ns],
    call: (client, pageToken, signal) =>
      client.resources.listResources({ ns, kind: 'Schedule', pageToken }, { signal }),
    nextToken: (page) => page.nextPageToken,
    shows: { kinds: ['Schedule'] },
  });

/** How many coming runs are shown. */
const PREVIEW = 10;

/** A schedule with its next runs. */
export const useSchedule = ({ ns, name }: ScheduleKey) =>
  useRead({
    key: ['GetSchedule', ns, name],
    call: (client, signal) => client.gateway.getSchedule({ ns, name, preview: PREVIEW }, { signal }),
    shows: { kinds: ['Schedule'] },
    keepsFormer: false,
  });

const CHANGES = { changes: { kinds: ['Schedule'] } };

export const useRunNow = ({ ns, name }: ScheduleKey, onDone: () => void) =>
  useWrite((client, _: undefined) => client.sessionControl.runSchedule({ ns, name }), { ...CHANGES, onDone });

/** Switches a schedule on or off. */
export const useSwitch = ({ ns, name }: ScheduleKey) =>
  useWrite(
    (client, { metadata, spec }: Schedule) =>
      client.gateway.modifySchedule({
        ns,
        name,
        schedule: {
          ...(metadata && { metadata }),
          ...(spec && { spec: { ...spec, enabled: spec.enabled === false } }),
        },
      }),
    CHANGES,
  );
