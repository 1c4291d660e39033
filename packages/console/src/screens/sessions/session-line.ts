import type { SessionListItem } from '@svc/api/gateway';
import type { Resource } from '@svc/api/resources';

/** One conversation in the list. */
export interface SessionLine {
  readonly ns: string;
  readonly agent: string;
  readonly id: string;
  /** Idle, Processing or Waiting. */
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Unix microseconds. */
  readonly createdAt: bigint;
  readonly lastActive: bigint;
}

/** A session of one agent's list, whose states are in capitals. */
export const lineOfItem = (item: SessionListItem, ns: string, agent: string): SessionLine => ({
  ns,
  agent,
  id: item.sessionId,
  state: item.state.charAt(0) + item.state.slice(1).toLowerCase(),
  labels: item.labels,
  createdAt: item.createdAt,
  lastActive: item.updatedAt,
});

/** A session as a resource; undefined for any other kind. */
export const lineOfResource = ({ metadata, spec, status }: Resource): SessionLine | undefined => {
  if (spec?.kind.case !== 'session' || metadata === undefined) return undefined;
  const known = status?.kind.case === 'session' ? status.kind.value : undefined;
  return {
    ns: metadata.namespace,
    agent: spec.kind.value.agent,
    id: metadata.name,
    state: known?.phase ?? '',
    labels: metadata.labels,
    createdAt: known?.createdAt ?? 0n,
    lastActive: known?.lastActive ?? 0n,
  };
};

/** The most recently active first. */
export const byActivity = (lines: readonly SessionLine[]): readonly SessionLine[] =>
  lines.toSorted((a, b) =>
    a.lastActive === b.lastActive ? b.id.localeCompare(a.id) : a.lastActive < b.lastActive ? 1 : -1,
  );
