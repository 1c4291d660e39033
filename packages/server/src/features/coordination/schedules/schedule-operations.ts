import { GatewayService } from '@svc/api/gateway';
import { type Operation, unary } from '../../../operations/index.ts';
import { ScheduleService, type SchedulesDeps } from './schedule-service.ts';

/** The 5 schedule operations of GatewayService. */
export const scheduleOperations = (deps: SchedulesDeps): readonly Operation[] => {
  const service = new ScheduleService(deps);
  const { method } = GatewayService;
  return [
    unary(method.createSchedule, (request, call) => service.create(request, call)),
    unary(method.getSchedule, (request) => service.get(request)),
    unary(method.modifySchedule, (request, call) => service.modify(request, call)),
    unary(method.listSchedules, (request) => service.list(request)),
    unary(method.deleteSchedule, (request, call) => service.delete(request, call)),
  ];
};
