import type { ObjectData } from '../../../../runtime/contract.ts';
import type { DeliveryRow } from '../../../../store/contracts/index.ts';
import { laneOf, type ReplyPlace } from './reply-rules.ts';

export type DeliveryState = 'held' | 'pending' | 'delivered' | 'rejected' | 'dead' | 'skipped';

/** What a delivery says, so that its state can be shown where it came from. */
export interface DeliverySource {
  readonly kind: 'session' | 'channel' | 'workflow' | 'request';
  readonly agent?: string;
  readonly sessionId?: string;
  readonly messageId?: string;
  readonly channel?: string;
  readonly channelUid?: string;
  readonly channelMessageId?: string;
  readonly workflow?: string;
  readonly runId?: string;
  readonly requestId?: string;
}

/** What a delivery keeps next to its columns. Times are micros. */
export interface DeliveryBody extends ReplyPlace {
  readonly connectorUid: string;
  readonly className: string;
  readonly classNamespace: string;
  readonly registrationId: string;
  readonly matchFields: Readonly<Record<string, string>>;
  readonly text: string;
  readonly attachments: readonly ObjectData[];
  readonly labels: Readonly<Record<string, string>>;
  readonly source: DeliverySource;
  /** The text is not that of the message: an edit of the message does not change it. */
  readonly isFixed: boolean;
  /** How often it was sent since it last became pending. */
  readonly attempts: number;
  /** Names who is sending it now; '' for no one. */
  readonly claim: string;
  /** When another sender may take it, by the clock of the store. */
  readonly claimUntil: number;
  /** The earliest next attempt, by the clock of the store. */
  readonly dueAt: number;
  /** The same as people see it, Unix time. */
  readonly nextAttemptAt: number;
  /** The first attempt since it last became pending, by the clock of the store; 0 before. */
  readonly triedSince: number;
  readonly lastError: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A delivery as this feature works with it. */
export interface Delivery extends Omit<DeliveryRow, 'body' | 'state'> {
  readonly state: DeliveryState;
  readonly body: DeliveryBody;
}

/** A new delivery before it has an id. */
export interface DeliveryDraft
  extends Pick<
    DeliveryBody,
    keyof ReplyPlace | 'connectorUid' | 'className' | 'classNamespace' | 'registrationId' | 'matchFields'
  > {
  readonly namespace: string;
  readonly connector: string;
  readonly classUid: string;
  readonly subject: string;
  readonly state: 'held' | 'pending';
  readonly text: string;
  readonly attachments: readonly ObjectData[];
  readonly labels: Readonly<Record<string, string>>;
  readonly source: DeliverySource;
  readonly isFixed: boolean;
}

interface Clocks {
  now(): number;
  steadyNow(): number;
}

const DAY_MICROS = 86_400_000_000;
const KEPT_DAYS = 7;
const DEAD_DAYS = 30;

/** The delivery of a row. */
export const parseDelivery = ({ body, state, ...row }: DeliveryRow): Delivery => ({
  ...row,
  state: state as DeliveryState,
  body: JSON.parse(body) as DeliveryBody,
});

/** The row of a delivery. */
export const deliveryRow = ({ body, ...row }: Delivery): DeliveryRow => ({ ...row, body: JSON.stringify(body) });

/** The delivery of a draft, due at once where it is pending. */
export const newDelivery = (draft: DeliveryDraft, id: string, clocks: Clocks): Delivery => {
  const { namespace, connector, classUid, subject, state, ...facts } = draft;
  const now = clocks.now();
  return {
    id,
    namespace,
    connector,
    classUid,
    subject,
    lane: laneOf(classUid, draft),
    state,
    expiresAt: Number.MAX_SAFE_INTEGER,
    body: {
      ...facts,
      attempts: 0,
      claim: '',
      claimUntil: 0,
      dueAt: clocks.steadyNow(),
      nextAttemptAt: now,
      triedSince: 0,
      lastError: '',
      createdAt: now,
      updatedAt: now,
    },
  };
};

/** The delivery on its way again from its first attempt on, under the same id. */
export const madePending = (
  delivery: Delivery,
  clocks: Clocks,
  contents: Partial<Pick<DeliveryBody, 'text' | 'attachments'>> = {},
): Delivery => ({
  ...delivery,
  state: 'pending',
  expiresAt: Number.MAX_SAFE_INTEGER,
  body: {
    ...delivery.body,
    ...contents,
    attempts: 0,
    claim: '',
    claimUntil: 0,
    dueAt: clocks.steadyNow(),
    nextAttemptAt: clocks.now(),
    triedSince: 0,
    lastError: '',
    updatedAt: clocks.now(),
  },
});

/** The delivery in its last state; it is kept for a week, a dead one for a month. */
export const ended = (
  delivery: Delivery,
  clocks: Clocks,
  { state, error = '' }: { readonly state: Exclude<DeliveryState, 'held' | 'pending'>; readonly error?: string },
): Delivery => ({
  ...delivery,
  state,
  expiresAt: clocks.now() + (state === 'dead' ? DEAD_DAYS : KEPT_DAYS) * DAY_MICROS,
  body: { ...delivery.body, claim: '', claimUntil: 0, lastError: error, updatedAt: clocks.now() },
});

/** The delivery taken by a sender. */
export const claimed = (
  delivery: Delivery,
  clocks: Clocks,
  { claim, leaseMs }: { readonly claim: string; readonly leaseMs: number },
): Delivery => {
  const { body } = delivery;
  const steady = clocks.steadyNow();
  return {
    ...delivery,
    body: {
      ...body,
      claim,
      claimUntil: steady + leaseMs * 1_000,
      attempts: body.attempts + 1,
      triedSince: body.triedSince || steady,
      updatedAt: clocks.now(),
    },
  };
};

/** The delivery given back, to be tried again after a while. */
export const postponed = (
  delivery: Delivery,
  clocks: Clocks,
  { error, delayMs }: { readonly error: string; readonly delayMs: number },
): Delivery => ({
  ...delivery,
  body: {
    ...delivery.body,
    claim: '',
    claimUntil: 0,
    dueAt: clocks.steadyNow() + delayMs * 1_000,
    nextAttemptAt: clocks.now() + delayMs * 1_000,
    lastError: error,
    updatedAt: clocks.now(),
  },
});

/** Whether a pending delivery keeps those after it waiting: until it has failed for as long as that may last. */
export const holdsUp = ({ body }: Delivery, steadyNow: number, orderHoldMs: number): boolean =>
  body.triedSince === 0 || steadyNow - body.triedSince < orderHoldMs * 1_000;
