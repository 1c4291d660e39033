import type { Clock, Ids, Log, Random } from '../../../base/index.ts';
import type { AppendAudit, NamespaceFacts, QueueWorker } from '../../../controllers/contract.ts';
import type { Operation } from '../../../operations/index.ts';
import type {
  ObjectAccess,
  ObjectData,
  SessionLifecycle,
  TurnEndHook,
  TurnProgressHook,
} from '../../../runtime/contract.ts';
import type { Bus, Store, WriteTx } from '../../../store/contracts/index.ts';
import type { PeriodicJob } from '../../module-contract.ts';
import { Typing } from './activities/index.ts';
import {
  type ConnectorFetch,
  ConnectorService,
  DeliveryBook,
  DeliveryProgress,
  DeliverySender,
  deliveryRetention,
  type Registrations,
  Replies,
  type ShowUndelivered,
} from './outbox/index.ts';
import {
  type ConversationAnswers,
  deliverRequests,
  RequestAnswers,
  type RequestDeliveriesDeps,
} from './requests/index.ts';
import { DeliveryReview, deliveryOperations } from './review/index.ts';

/** Settings of what is said to platforms. */
interface ReplySettings {
  readonly 'connectors.silenceTokens': readonly string[];
  readonly 'connectors.errorReplyText'?: string | undefined;
}

/** Times in milliseconds. */
export interface DeliverySettings extends ReplySettings {
  readonly 'limits.deliveryTimeout': number;
  readonly 'limits.deliveryWindow': number;
  readonly 'limits.deliveryConcurrency': number;
  readonly 'limits.orderHold': number;
}

interface DeliveryTurnsDeps extends Pick<RequestDeliveriesDeps, 'channelTrigger'> {
  readonly ids: Ids;
  readonly bus: Pick<Bus, 'publish'>;
  readonly objects: Pick<ObjectAccess, 'hold'>;
  readonly settings: ReplySettings;
}

/** What follows turns that run in this process. */
type TurnListener = Pick<Typing, 'begun' | 'left'>;

/** What turns, sessions, channels and runs say to platforms, each in the transaction of the one that says it. */
export interface DeliveryTurns extends TurnEndHook, TurnProgressHook {
  readonly book: DeliveryBook;
  readonly setStatus: DeliveryReview['setStatus'];
  readonly appended: Replies['appended'];
  readonly published: Replies['published'];
  readonly replyOfRun: Replies['replyOfRun'];
  readonly review: DeliveryReview;
  /** Has turns of platforms followed, once they are committed. */
  follow(listener: TurnListener): void;
}

const CAUSE = 'connector';

/** What deliveries do in transactions of others. It sends nothing, so it is made before the features are. */
export const deliveryTurns = ({ settings, ...deps }: DeliveryTurnsDeps): DeliveryTurns => {
  const book = new DeliveryBook(deps);
  const silenceTokens = settings['connectors.silenceTokens'];
  const replies = new Replies({ book, silenceTokens, errorReplyText: settings['connectors.errorReplyText'] ?? '' });
  const review = new DeliveryReview({ book, silenceTokens });
  const listeners: TurnListener[] = [];
  const tell = (tx: WriteTx, event: (listener: TurnListener) => void): void =>
    tx.afterCommit(() => {
      for (const listener of listeners) event(listener);
    });
  return {
    book,
    review,
    turnTaken: async (tx, { turn, body }) => {
      if (body.cause.kind === CAUSE) tell(tx, (listener) => listener.begun(turn));
    },
    turnParked: async (tx, parked) => {
      await deliverRequests({ ...deps, book }, tx, parked);
      if (parked.body.cause.kind === CAUSE) tell(tx, (listener) => listener.left(parked.turn.id));
    },
    turnEnded: async (tx, end) => {
      await replies.turnEnded(tx, end);
      if (end.body.cause.kind === CAUSE) tell(tx, (listener) => listener.left(end.turn.id));
    },
    setStatus: (tx, target) => review.setStatus(tx, target),
    appended: (tx, target) => replies.appended(tx, target),
    published: (tx, message) => replies.published(tx, message),
    replyOfRun: (tx, run) => replies.replyOfRun(tx, run),
    follow: (listener) => {
      listeners.push(listener);
    },
  };
};

export interface DeliveryPartsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  /** Name of this process as a worker. */
  readonly workerId: string;
  readonly log: Log;
  readonly audit: AppendAudit;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly lifecycle: Pick<SessionLifecycle, 'answerPermission'>;
  readonly deliveries: DeliveryTurns;
  /** Requests to connector services; a trusted one may be at any address. */
  readonly fetch: (isTrusted: boolean) => ConnectorFetch;
  /** Paths of this server at which objects can be fetched for a while without a credential. */
  readonly links: { link(namespace: string, object: ObjectData): string };
  /** Where this server is reached, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly showUndelivered: ShowUndelivered;
  readonly registrations: Registrations;
  readonly settings: DeliverySettings;
}

/** Parts of the module that bring deliveries to connector services. */
export interface DeliveryParts {
  readonly workers: readonly QueueWorker[];
  readonly jobs: readonly PeriodicJob[];
  readonly operations: readonly Operation[];
  readonly answers: ConversationAnswers;
  /** Ends deliveries of a class that wait, in the transaction that removes it; false when more are left. */
  classDeleted(tx: WriteTx, classUid: string): Promise<boolean>;
  /** Resolves once nothing is being sent. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** More than an attempt takes. */
const LEASE_MARGIN_MS = 10_000;

/** What sends deliveries and signals, and the operations on deliveries. */
export const deliveryParts = (deps: DeliveryPartsDeps): DeliveryParts => {
  const { store, clock, settings, deliveries, links, baseUrl, registrations } = deps;
  const timeoutMs = settings['limits.deliveryTimeout'];
  const leaseMs = timeoutMs + LEASE_MARGIN_MS;
  const service = new ConnectorService(deps);
  const progress = new DeliveryProgress({
    ...deps,
    book: deliveries.book,
    leaseMs,
    windowMs: settings['limits.deliveryWindow'],
    orderHoldMs: settings['limits.orderHold'],
  });
  const sender = new DeliverySender({
    ...deps,
    progress,
    service,
    signedUrl: (namespace, object) => `${baseUrl()}${links.link(namespace, object)}`,
    now: () => store.now(),
    timeoutMs,
    leaseMs,
    concurrency: settings['limits.deliveryConcurrency'],
  });
  const typing = new Typing({ store, service, registrations, clock, ids: deps.ids });
  deliveries.follow(typing);
  return {
    workers: [sender],
    jobs: [deliveryRetention(store)],
    operations: deliveryOperations({ ...deps, review: deliveries.review }),
    answers: new RequestAnswers(deps),
    classDeleted: (tx, classUid) => progress.classDeleted(tx, classUid),
    settled: async () => {
      await sender.settled();
      await typing.settled();
    },
    close: async () => {
      await typing.close();
      await sender.close();
    },
  };
};
