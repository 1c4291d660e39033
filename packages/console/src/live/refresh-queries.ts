import type { QueryClient } from '@tanstack/react-query';
import { type Change, isConcerned, type Shows } from '../api/freshness.ts';
import type { ServerEvent } from './event-lines.ts';
import type { LiveStream } from './live-stream.ts';

/** Changes of this time are answered by one reload. */
const GATHER_MS = 200;
/** A reload that takes longer is not waited for. */
const RELOAD_MS = 5_000;

/** Loads again what the events of the stream made stale, a moment later and together; answers how to stop. */
export const refreshQueries = (stream: LiveStream, queries: QueryClient): (() => void) => {
  let gathered: Change[] | 'all' = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  // The next reload waits for this one: to begin again each time would let no answer arrive under steady traffic.
  const reload = async (): Promise<void> => {
    const changes = gathered;
    gathered = [];
    const done = queries.invalidateQueries({
      predicate: ({ meta }) =>
        changes === 'all' || changes.some((change) => isConcerned((meta?.['shows'] ?? {}) as Shows, change)),
    });
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, RELOAD_MS))]);
    timer = gathered.length > 0 && !isStopped ? setTimeout(() => void reload(), GATHER_MS) : undefined;
  };
  const stop = stream.listen((event) => {
    // What failed while the connection was lost is asked again.
    if (event.event === 'ready')
      return void queries.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
    if (event.event === 'refresh') gathered = 'all';
    else if (gathered !== 'all') gathered.push(changeOf(event));
    timer ??= setTimeout(() => void reload(), GATHER_MS);
  });
  return () => {
    isStopped = true;
    stop();
    clearTimeout(timer);
  };
};

const changeOf = ({ event, data }: ServerEvent): Change => {
  if (event !== 'resource') return { topic: event };
  const { resourceKind, namespace } = JSON.parse(data) as { readonly resourceKind: string; readonly namespace: string };
  return { topic: event, kind: resourceKind, ns: namespace };
};
