import type { Resource } from '@svc/api/resources';

/** What the sessions of an agent come to. */
export interface SessionCount {
  readonly count: number;
  /** Unix microseconds; 0 when none was ever active. */
  readonly lastActive: bigint;
}

/** `ns/agent`, by which counts are kept. */
export const countKey = (ns: string, agent: string): string => `${ns}/${agent}`;

/** Sessions by agent. */
export const countSessions = (sessions: readonly Resource[]): ReadonlyMap<string, SessionCount> => {
  const counts = new Map<string, SessionCount>();
  for (const { metadata, spec, status } of sessions) {
    if (spec?.kind.case !== 'session') continue;
    const key = countKey(metadata?.namespace ?? '', spec.kind.value.agent);
    const { count = 0, lastActive = 0n } = counts.get(key) ?? {};
    const active = status?.kind.case === 'session' ? status.kind.value.lastActive : 0n;
    counts.set(key, { count: count + 1, lastActive: active > lastActive ? active : lastActive });
  }
  return counts;
};
