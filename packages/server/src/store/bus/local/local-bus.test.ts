import { silentLog } from '../../../base/index.ts';
import { busConformance } from '../../conformance/index.ts';
import { createLocalBus } from './index.ts';

busConformance('the local bus', async () => {
  const bus = createLocalBus(silentLog);
  return { bus, delivered: async () => undefined, dispose: () => bus.close() };
});
