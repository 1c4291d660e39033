import { describe, expect, it } from 'vitest';
import { judgedStatus, liveStatus } from './worker-rules.ts';

const facts = {
  startedAt: 5,
  version: '1',
  endpoints: [{ url: 'http://x', protocol: 'http', audience: '' }],
  isBusReachable: true,
};
const conditions = (status: { readonly conditions: readonly { type: string; status: string; reason: string }[] }) =>
  status.conditions.map((condition) => `${condition.type} ${condition.status} ${condition.reason}`);

describe('a worker', () => {
  it('speaks for itself', () => {
    const live = liveStatus(undefined, facts, { phase: 'ready', now: 10 });
    expect(live).toMatchObject({ phase: 'ready', startedAt: 5n, version: '1', endpoints: [{ url: 'http://x' }] });
    const cut = liveStatus(live, { ...facts, isBusReachable: false }, { phase: 'draining', now: 20 });
    expect([cut.phase, cut.endpoints, ...conditions(cut)]).toEqual([
      'draining',
      [],
      'Ready False Draining',
      'StoreReachable True Reachable',
      'BusReachable False Unreachable',
    ]);
    expect(cut.conditions[1]?.lastTransitionTime).toBe(10n);
  });

  it('is judged by others when it drains or falls silent', () => {
    const live = liveStatus(undefined, facts, { phase: 'ready', now: 10 });
    const draining = judgedStatus(live, { phase: 'draining', now: 20 });
    expect([draining.phase, draining.endpoints, ...conditions(draining)]).toEqual([
      'draining',
      [],
      'Ready False Draining',
      'StoreReachable True Reachable',
      'BusReachable True Reachable',
    ]);
    const lost = judgedStatus(draining, { phase: 'lost', now: 30 });
    expect([lost.phase, lost.version, ...conditions(lost)]).toEqual([
      'lost',
      '1',
      'Ready False HeartbeatMissed',
      'StoreReachable Unknown HeartbeatMissed',
      'BusReachable Unknown HeartbeatMissed',
    ]);
  });
});
