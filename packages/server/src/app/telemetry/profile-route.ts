import type { Authorizer } from '../../auth/contract.ts';
import { type Clock, Fault, invalidField } from '../../base/index.ts';
import type { HttpExchange, HttpRoute } from '../../operations/index.ts';

/** Longest capture. */
const MAX_SECONDS = 60;
const DEFAULT_SECONDS = 10;
/** Mean distance in bytes between allocations that a heap capture samples. */
const HEAP_INTERVAL_BYTES = 32_768;
const CPU_INTERVAL_MICROS = 1000;

type Kind = 'cpu' | 'heap';

const secondsOf = (exchange: HttpExchange): number => {
  const text = exchange.query.get('seconds');
  const seconds = text === null ? DEFAULT_SECONDS : Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw invalidField('seconds', `must be a whole number from 1 to ${MAX_SECONDS}`);
};

const kindOf = (exchange: HttpExchange): Kind => {
  const kind = exchange.query.get('type') ?? 'cpu';
  if (kind === 'cpu' || kind === 'heap') return kind;
  throw invalidField('type', 'must be cpu or heap');
};

/** Ends early when the caller disconnects or the process stops. */
const wait = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    signal.addEventListener('abort', () => {
      cancel();
      resolve();
    });
    if (signal.aborted) resolve();
  });

/** Functions and sizes, no values: unlike a heap snapshot, a profile contains no prompt and no secret. */
const capture = async (kind: Kind, pause: () => Promise<void>): Promise<object> => {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    if (kind === 'heap') {
      await session.post('HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL_BYTES });
      await pause();
      return (await session.post('HeapProfiler.stopSampling')).profile;
    }
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: CPU_INTERVAL_MICROS });
    await session.post('Profiler.start');
    await pause();
    return (await session.post('Profiler.stop')).profile;
  } finally {
    session.disconnect();
  }
};

/**
 * GET /debug/profile?type=cpu|heap&seconds=10: one capture at a time, for unscoped admins on this machine. The
 * answer opens in the developer tools of browsers as .cpuprofile or .heapprofile.
 */
export const profileRoute = (deps: {
  readonly authorizer: Pick<Authorizer, 'allows'>;
  readonly clock: Clock;
}): HttpRoute => {
  let isBusy = false;
  return {
    method: 'GET',
    pattern: '/debug/profile',
    authenticated: true,
    loopbackOnly: true,
    handle: async (exchange, _params, { caller, signal }) => {
      if (!deps.authorizer.allows(caller, 'admin', {}))
        throw new Fault('PERMISSION_DENIED', 'ROLE', 'profiles need an unscoped admin');
      const seconds = secondsOf(exchange);
      const kind = kindOf(exchange);
      if (isBusy) throw new Fault('RESOURCE_EXHAUSTED', 'BUSY', 'another capture is under way');
      isBusy = true;
      try {
        const profile = await capture(kind, () => wait(deps.clock, seconds * 1000, signal));
        const headers = {
          'content-type': 'application/json',
          'content-disposition': `attachment; filename="svc.${kind}profile"`,
        };
        if (!signal.aborted) exchange.answer(200, headers, JSON.stringify(profile));
      } finally {
        isBusy = false;
      }
    },
  };
};
