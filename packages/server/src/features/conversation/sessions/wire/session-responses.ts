import { create } from '@bufbuild/protobuf';
import { SessionOverridesSchema, type TokenCounter, TokenCounterSchema } from '@svc/api/data';
import { type SessionResponse, SessionResponseSchema } from '@svc/api/gateway';
import { type Session, SessionSchema } from '@svc/api/resources';
import { type ResourceViews, withoutPrivate } from '../../../../resources/index.ts';
import type { SessionSide, TurnUsage } from '../../../../runtime/contract.ts';
import type { SessionRow, StoredResource } from '../../../../store/contracts/index.ts';

/** Name of a session's resource. */
export const sessionKey = (row: {
  readonly namespace: string;
  readonly agent: string;
  readonly id: string;
}): StoredResource['key'] => ({ kind: 'Session', namespace: row.namespace, parent: row.agent, name: row.id });

const PHASE = { IDLE: 'Idle', PROCESSING: 'Processing', WAITING: 'Waiting' } as const;
const EMPTY_SIDES: ReadonlySet<string> = new Set(['', '{}']);

type SideView = Partial<
  Pick<SessionSide, 'contextTokens' | 'totalUsage' | 'lastTurn' | 'acpSessionId' | 'sandboxRef' | 'overrides'>
>;

const sideOf = (row: SessionRow): SideView => (EMPTY_SIDES.has(row.body) ? {} : (JSON.parse(row.body) as SideView));

/** What the row adds to the stored status: phase, last_active, condition LastTurn. They make no new resource version. */
const activityOf = (row: SessionRow, side: SideView): string => {
  const { lastTurn } = side;
  const condition =
    lastTurn === undefined
      ? undefined
      : {
          type: 'LastTurn',
          status: lastTurn.state === 'FAILED' ? 'False' : 'True',
          reason: lastTurn.reason,
          lastTransitionTime: String(lastTurn.at),
        };
  return JSON.stringify({
    phase: PHASE[row.state],
    createdAt: String(row.createdAt),
    lastActive: String(row.lastActive),
    ...(condition === undefined ? {} : { conditions: [condition] }),
    ...((side.acpSessionId ?? '') === '' ? {} : { acpSessionId: side.acpSessionId }),
    ...((side.sandboxRef ?? '') === '' ? {} : { sandboxRef: side.sandboxRef }),
  });
};

/** Status facts of sessions for reads by ResourceService, by uid (a session's uid is its id). */
export const sessionActivity = (row: SessionRow): string => activityOf(row, sideOf(row));

interface SessionSnapshot {
  readonly row: SessionRow;
  readonly resource: StoredResource;
  readonly messages: SessionResponse['messages'];
  readonly streamCursor: string;
  /** Just created: its view is not kept, most new sessions are never read this way. */
  readonly isNew?: boolean;
}

/** Where views of resources are made and kept. */
interface ViewsContext {
  readonly views: ResourceViews;
}

const sessionResource = (context: ViewsContext, { row, resource, isNew }: SessionSnapshot, side: SideView): Session =>
  context.views.full(SessionSchema, resource, {
    secrets: true,
    activity: activityOf(row, side),
    isTransient: isNew === true,
  });

export const tokenCounter = (usage: TurnUsage): TokenCounter =>
  create(TokenCounterSchema, {
    inputTokens: BigInt(usage.inputTokens),
    outputTokens: BigInt(usage.outputTokens),
    reasoningOutputTokens: BigInt(usage.reasoningTokens),
    totalTokens: BigInt(usage.totalTokens),
    cachedInputTokens: BigInt(usage.cachedInputTokens),
    cacheWriteTokens: BigInt(usage.cacheWriteTokens),
    usageAvailable: usage.usageAvailable,
    provider: usage.provider,
    model: usage.model,
    ...(usage.costMicros === undefined ? {} : { costMicros: BigInt(usage.costMicros) }),
    ...(usage.providerRequestId === undefined ? {} : { providerRequestId: usage.providerRequestId }),
  });

/** A session as GetSession shows it; the messages and the cursor come from the same snapshot as the row. */
export const sessionResponse = (context: ViewsContext, snapshot: SessionSnapshot): SessionResponse => {
  const { row } = snapshot;
  const side = sideOf(row);
  const response = create(SessionResponseSchema);
  response.sessionId = row.id;
  response.agent = row.agent;
  response.state = row.state;
  response.messages = snapshot.messages;
  response.labels = withoutPrivate(row.labels);
  response.session = sessionResource(context, snapshot, side);
  response.activeTurnId = row.activeTurnId;
  response.queuedTurns = Math.max(0, row.openTurns - (row.activeTurnId === '' ? 0 : 1));
  const { contextTokens, totalUsage, overrides } = side;
  if (contextTokens !== undefined) response.contextTokens = tokenCounter(contextTokens);
  if (totalUsage !== undefined) response.totalUsage = tokenCounter(totalUsage);
  if (overrides !== undefined) response.overrides = create(SessionOverridesSchema, overrides);
  response.streamCursor = snapshot.streamCursor;
  return response;
};
