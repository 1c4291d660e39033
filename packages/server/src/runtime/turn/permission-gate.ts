import { Fault, notFound } from '../../base/index.ts';
import type { PermissionRow, SessionRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import { type PermissionData, type SessionLifecycle, WAKE_TURNS } from '../contract.ts';
import type { RuntimeDeps } from '../runtime-deps.ts';
import { parseBody, parseSide, partId, recordedParts } from '../turn-record.ts';
import { parsePermission, permissionRow, resultPart } from './permission-records.ts';

type Answer = Parameters<SessionLifecycle['answerPermission']>[2];
type GateDeps = Pick<RuntimeDeps, 'bus'>;

/** Bus subject: a running turn learns at once that one of its requests was answered. Message: {turnId}. */
export const PERMISSION_ANSWERED = 'cmd.permission';

const closedFault = (data: PermissionData): Fault =>
  new Fault('FAILED_PRECONDITION', 'PERMISSION_CLOSED', `permission request ${data.id} is already closed`, {
    metadata: { request_id: data.id, decision: data.decision },
  });

/** The option the answer names, or the first with that decision (API-9.2). */
const chooseOption = (data: PermissionData, answer: Answer): PermissionData['options'][number] => {
  const option =
    answer.optionId === ''
      ? data.options.find((entry) => entry.allow === answer.allow)
      : data.options.find((entry) => entry.id === answer.optionId);
  if (option === undefined || option.allow !== answer.allow) {
    const known = data.options.map((entry) => entry.id).join(', ');
    throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', `option_id: must be one of ${known} and fit the decision`, {
      violations: [
        { field: 'optionId', description: `must be one of ${known} and fit the decision`, reason: 'FIELD_INVALID' },
      ],
    });
  }
  return option;
};

/** Journals the decision behind what the turn recorded so far and, when the turn is parked, makes it claimable again. */
export const journalDecision = async (tx: WriteTx, turn: TurnRow, data: PermissionData): Promise<void> => {
  const body = parseBody(turn);
  const messageId = body.replyMessageIds.at(-1) ?? '';
  const placed = recordedParts(await tx.log.journal(turn.id)).filter((entry) => entry.messageId === messageId);
  const part = resultPart(data, partId(placed.length));
  await tx.log.appendJournal([
    {
      turnId: turn.id,
      index: body.journalCount,
      kind: 'RESUME',
      at: tx.now(),
      body: JSON.stringify({ messageId, part }),
    },
  ]);
  const { park: _park, ...rest } = body;
  const parked = turn.state === 'WAITING' && turn.worker === '';
  const next = {
    ...(parked ? rest : body),
    journalCount: body.journalCount + 1,
    ...(parked ? { resume: 'handover' as const } : {}),
  };
  await tx.log.saveTurn({
    ...turn,
    ...(parked ? { state: 'QUEUED' as const, ready: true, wakeAt: 0 } : {}),
    body: JSON.stringify(next),
  });
  if (!parked) return;
  const session = await tx.log.session(turn.sessionId);
  if (session !== undefined) await tx.log.saveSession({ ...session, state: 'PROCESSING' });
};

const remember = async (tx: WriteTx, session: SessionRow, action: string, allow: boolean): Promise<void> => {
  const side = parseSide(session);
  const remembered = { ...side.remembered, [action]: allow ? ('allow' as const) : ('deny' as const) };
  await tx.log.saveSession({ ...session, body: JSON.stringify({ ...side, remembered }) });
};

const decide = async (
  tx: WriteTx,
  row: PermissionRow,
  decision: Pick<PermissionData, 'decision' | 'optionId' | 'decidedBy' | 'comment'>,
  deps: GateDeps,
): Promise<PermissionData> => {
  const data: PermissionData = { ...parsePermission(row), ...decision, decidedAt: tx.now() };
  await tx.log.savePermission(permissionRow(data, false));
  const turn = await tx.log.turn(row.turnId);
  if (turn !== undefined && (turn.state === 'RUNNING' || turn.state === 'WAITING'))
    await journalDecision(tx, turn, data);
  tx.afterCommit(() => {
    deps.bus.publish(PERMISSION_ANSWERED, { turnId: row.turnId });
    deps.bus.publish(WAKE_TURNS, {});
  });
  return data;
};

/** Answers one request of a locked session (API-9.2, RT-R46). */
export const answerPermission = async (
  tx: WriteTx,
  session: SessionRow,
  answer: Answer,
  deps: GateDeps,
): Promise<PermissionData> => {
  const row = await tx.log.permission(answer.requestId);
  if (row === undefined || row.sessionId !== session.id)
    throw notFound('PermissionRequest', { session_id: session.id, request_id: answer.requestId });
  const data = parsePermission(row);
  const option = chooseOption(data, answer);
  if (!row.open) {
    if (data.decision === (answer.allow ? 'ALLOW' : 'DENY') && data.optionId === option.id) return data;
    throw closedFault(data);
  }
  if (row.expiresAt <= tx.now()) throw closedFault(data);
  if (option.remember) await remember(tx, session, data.action, option.allow);
  return decide(
    tx,
    row,
    {
      decision: option.allow ? 'ALLOW' : 'DENY',
      optionId: option.id,
      decidedBy: answer.decidedBy,
      comment: answer.comment,
    },
    deps,
  );
};

/** Denies the requests of a parked turn whose time is over; the turn goes on with `denied` (RT-R46). */
export const expirePermissions = async (tx: WriteTx, turn: TurnRow, deps: GateDeps): Promise<number> => {
  let expired = 0;
  for (const row of await tx.log.permissionsOfTurn(turn.id)) {
    if (!row.open || row.expiresAt > tx.now()) continue;
    await decide(tx, row, { decision: 'DENY', optionId: '', decidedBy: 'system', comment: 'expired' }, deps);
    expired += 1;
  }
  return expired;
};
