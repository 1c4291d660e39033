import { Fault, invalidField, notFound, sortedJson } from '../../base/index.ts';
import type { Bus, PermissionRow, SessionRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import {
  PERMISSION_ANSWERED,
  type PermissionData,
  type SessionLifecycle,
  type UsageMeter,
  WAKE_TURNS,
} from '../contract.ts';
import {
  kindOf,
  parseBody,
  parsePermission,
  parseSide,
  partId,
  permissionRow,
  recordedParts,
  resultPart,
} from '../record/index.ts';
import { isParked, wakeTurn } from './call-wakes.ts';

type Answer = Parameters<SessionLifecycle['answerPermission']>[2];

/** One transaction and what its steps use. */
interface Scope {
  readonly tx: WriteTx;
  readonly ports: { readonly bus: Pick<Bus, 'publish'> };
}

/** Whether data fits the schema of the request that asked for it: what is wrong, nothing when it does. */
export type SchemaCheck = (schema: Readonly<Record<string, unknown>>, value: unknown) => readonly string[];

const closedFault = (data: PermissionData): Fault =>
  new Fault('FAILED_PRECONDITION', 'PERMISSION_CLOSED', `permission request ${data.id} is already closed`, {
    metadata: { request_id: data.id, decision: data.decision },
  });

/** The option the answer names, or the first with that decision. */
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

/** Journals the decision behind what the turn recorded so far, whether it runs, waits or was handed over. */
const journalDecision = async (tx: WriteTx, turn: TurnRow, data: PermissionData): Promise<void> => {
  const body = parseBody(turn);
  const messageId = body.replyMessageIds.at(-1) ?? '';
  const placed = recordedParts(await tx.log.journal(turn.id)).filter((entry) => entry.messageId === messageId);
  const part = resultPart(data, partId(placed.length));
  const entry = { messageId, part };
  await tx.log.appendJournal([
    { turnId: turn.id, index: body.journalCount, kind: 'RESUME', at: tx.now(), body: JSON.stringify(entry) },
  ]);
  await wakeTurn(tx, turn, { ...body, journalCount: body.journalCount + 1 });
};

/** The data of an answer, checked; undefined where the request asks for none. */
const checkedValue = (data: PermissionData, answer: Answer, check: SchemaCheck): unknown => {
  const kind = kindOf(data);
  if (kind === 'sign_in' && answer.allow && answer.isSignIn !== true)
    throw invalidField('decision', 'a sign-in is completed where its url leads; here it can only be declined');
  if (kind !== 'input' || !answer.allow) {
    if (answer.value !== undefined) throw invalidField('answerJson', 'this request takes no data with this decision');
    return undefined;
  }
  const problems = check(data.schema ?? {}, answer.value ?? null);
  if (data.schema !== undefined && problems.length > 0)
    throw invalidField('answerJson', `does not fit the schema of the request: ${problems.slice(0, 5).join('; ')}`);
  return answer.value ?? null;
};

const remember = async (
  tx: WriteTx,
  session: SessionRow,
  option: { readonly action: string; readonly allow: boolean },
): Promise<void> => {
  const side = parseSide(session);
  const remembered = { ...side.remembered, [option.action]: option.allow ? ('allow' as const) : ('deny' as const) };
  await tx.log.saveSession({ ...session, body: JSON.stringify({ ...side, remembered }) });
};

/** Other open questions whether the turn may take the same action: the answer holds for the session, so also for them. */
const sameAction = async (tx: WriteTx, row: PermissionRow): Promise<readonly PermissionRow[]> => {
  const { action } = parsePermission(row);
  const open = (await tx.log.permissionsOfTurn(row.turnId)).filter((other) => other.open && other.id !== row.id);
  return open.filter((other) => {
    const data = parsePermission(other);
    return kindOf(data) === 'permission' && data.action === action;
  });
};

const decide = async (
  { tx, ports }: Scope,
  row: PermissionRow,
  decision: Pick<PermissionData, 'decision' | 'optionId' | 'decidedBy' | 'comment' | 'answer'>,
): Promise<PermissionData> => {
  const data: PermissionData = { ...parsePermission(row), ...decision, decidedAt: tx.now() };
  await tx.log.savePermission(permissionRow(data, false));
  const turn = await tx.log.turn(row.turnId);
  const isOpen = turn?.state === 'QUEUED' || turn?.state === 'RUNNING' || turn?.state === 'WAITING';
  if (turn !== undefined && isOpen) await journalDecision(tx, turn, data);
  tx.afterCommit(() => {
    ports.bus.publish(PERMISSION_ANSWERED, { turnId: row.turnId });
    ports.bus.publish(WAKE_TURNS, {});
  });
  return data;
};

const isSameAnswer = (
  data: PermissionData,
  { option, value }: { readonly option: PermissionData['options'][number]; readonly value: unknown },
): boolean =>
  data.decision === (option.allow ? 'ALLOW' : 'DENY') &&
  data.optionId === option.id &&
  sortedJson(data.answer ?? null) === sortedJson(value ?? null);

/** Answers one request of a locked session. */
export const answerPermission = async (
  {
    tx,
    ports,
  }: Scope & {
    readonly ports: { readonly tools: { readonly check: SchemaCheck }; readonly usage: Pick<UsageMeter, 'raise'> };
  },
  session: SessionRow,
  answer: Answer,
): Promise<PermissionData> => {
  const row = await tx.log.permission(answer.requestId);
  if (row === undefined || row.sessionId !== session.id)
    throw notFound('PermissionRequest', { session_id: session.id, request_id: answer.requestId });
  const data = parsePermission(row);
  const option = chooseOption(data, answer);
  const value = checkedValue(data, answer, ports.tools.check);
  if (!row.open) {
    if (isSameAnswer(data, { option, value })) return data;
    throw closedFault(data);
  }
  if (row.expiresAt <= tx.now()) throw closedFault(data);
  if (option.remember) await remember(tx, session, { action: data.action, allow: option.allow });
  const decision = {
    decision: option.allow ? ('ALLOW' as const) : ('DENY' as const),
    optionId: option.id,
    decidedBy: answer.decidedBy,
    comment: answer.comment,
    ...(value === undefined ? {} : { answer: value }),
  };
  const decided = await decide({ tx, ports }, row, decision);
  if (kindOf(decided) === 'budget' && option.allow) await ports.usage.raise(tx, decided);
  if (option.remember) for (const other of await sameAction(tx, row)) await decide({ tx, ports }, other, decision);
  return decided;
};

/**
 * Denies the requests of a parked turn whose time is over; the turn continues with `denied`. A turn that waits for
 * nothing any more is woken all the same, so that a due park never stays.
 */
export const expirePermissions = async ({ tx, ports }: Scope, turn: TurnRow): Promise<void> => {
  await tx.log.lockSession(turn.sessionId);
  for (const row of await tx.log.permissionsOfTurn(turn.id)) {
    if (!row.open || row.expiresAt > tx.now()) continue;
    await decide({ tx, ports }, row, { decision: 'DENY', optionId: '', decidedBy: 'system', comment: 'expired' });
  }
  const left = await tx.log.turn(turn.id);
  const isDue = left !== undefined && left.wakeAt > 0 && left.wakeAt <= tx.now();
  if (left !== undefined && isDue && isParked(left)) await wakeTurn(tx, left, parseBody(left));
};

/** Denies what is still open of a turn that ends; returns the closed requests, whose results the caller stores. */
export const closePermissions = async (
  tx: WriteTx,
  turnId: string,
  end: { readonly decidedBy: string; readonly comment: string },
): Promise<PermissionData[]> => {
  const closed: PermissionData[] = [];
  for (const row of await tx.log.permissionsOfTurn(turnId)) {
    if (!row.open) continue;
    const data: PermissionData = {
      ...parsePermission(row),
      decision: 'DENY',
      decidedBy: end.decidedBy,
      decidedAt: tx.now(),
      comment: end.comment,
    };
    await tx.log.savePermission(permissionRow(data, false));
    closed.push(data);
  }
  return closed;
};
