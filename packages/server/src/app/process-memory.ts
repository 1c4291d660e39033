import { PerformanceObserver, performance } from 'node:perf_hooks';
import process from 'node:process';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MemoryControls } from './memory-governor.ts';

type CollectNow = (options: { readonly type: 'major'; readonly execution: 'async' }) => Promise<void>;

/** The memory of this process. */
export const processMemory = (): MemoryControls => {
  let lastAsked = performance.eventLoopUtilization();
  let collectNow: CollectNow | undefined;
  return {
    rssBytes: () => process.memoryUsage.rss(),
    youngBytes: () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0,
    heapBytes: () => getHeapStatistics().used_heap_size,
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, lastAsked);
      lastAsked = now;
      return utilization;
    },
    collect: () => {
      if (collectNow === undefined) {
        // V8 gives this function only to contexts that are made after its flag was set.
        setFlagsFromString('--expose-gc');
        collectNow = runInNewContext('gc') as CollectNow;
      }
      void collectNow({ type: 'major', execution: 'async' });
    },
    onCollection: (notify) => {
      const observer = new PerformanceObserver(notify);
      observer.observe({ entryTypes: ['gc'] });
      return () => observer.disconnect();
    },
    setFlag: setFlagsFromString,
  };
};
