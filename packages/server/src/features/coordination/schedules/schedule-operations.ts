import { GatewayService, SessionControlService } from '@svc/api/gateway';
import { admin, type Operation, operation, operator, viewer, wholeResource } from '../../../operations/index.ts';
import { type RunScheduleDeps, runSchedule } from './firing/index.ts';
import { ScheduleService, type SchedulesDeps } from './schedule-service.ts';

/** The 5 schedule operations of GatewayService, and RunSchedule. */
export const scheduleOperations = (deps: SchedulesDeps & RunScheduleDeps): readonly Operation[] => {
  const service = new ScheduleService(deps);
  const { method } = GatewayService;
  return [
    operation(method.createSchedule, {
      access: admin('fields'),
      body: wholeResource(),
      handle: (request, call) => service.create(request, call),
    }),
    operation(method.getSchedule, { access: viewer('fields'), handle: (request) => service.get(request) }),
    operation(method.modifySchedule, {
      access: admin('fields'),
      body: wholeResource(),
      handle: (request, call) => service.modify(request, call),
    }),
    operation(method.listSchedules, { access: viewer('fields'), handle: (request) => service.list(request) }),
    operation(method.deleteSchedule, {
      access: admin('fields'),
      handle: (request, call) => service.delete(request, call),
    }),
    operation(SessionControlService.method.runSchedule, {
      access: operator('fields'),
      handle: (request, call) => runSchedule(deps, request, call),
    }),
  ];
};
