import { create, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import { ConnectorActivityRequestSchema } from '@svc/api/external';
import type { Clock, Ids } from '../../../../base/index.ts';
import { recordKey } from '../../../../resources/index.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import { contextOf, sessionSubject } from '../context/index.ts';
import {
  type ClassIdentity,
  type ConnectorService,
  liveConnector,
  type Registrations,
  replyPlace,
} from '../outbox/index.ts';

/** A turn that a message of a platform began. */
export interface TypingTurn {
  readonly id: string;
  readonly namespace: string;
  readonly sessionId: string;
  readonly userMessageId: string;
}

export interface TypingDeps {
  readonly store: Pick<Store, 'read'>;
  readonly service: Pick<ConnectorService, 'post'>;
  readonly registrations: Pick<Registrations, 'placeOf'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly ids: Ids;
}

type Phase = 'start' | 'active' | 'stop';

/** Annotation of a class whose service shows that an agent is typing. */
const ACTIVITIES = 'option.svc/activities';
const TYPING = 'typing';
const REPEAT_MS = 20_000;
const TIMEOUT_MS = 5_000;
/** Turns that are shown at once; further ones are not. */
const SHOWN_MAX = 1_000;
/** Answers of services that know no activities. */
const UNSUPPORTED: ReadonlySet<number> = new Set([404, 405, 501]);

interface Shown {
  isOver: boolean;
  /** Ends the wait for the next signal. */
  wake: () => void;
  readonly done: Promise<void>;
}

/** What the signals of a turn say. */
interface Signal {
  readonly identity: ClassIdentity;
  readonly body: MessageInitShape<typeof ConnectorActivityRequestSchema>;
}

/**
 * Shows on platforms that an agent is typing while its turn runs in this process: start, active every 20 s, and stop as the last. No turn
 * waits for these signals, and none is repeated. A turn that this process lost ends in another one, so its state is read before each
 * repetition. A service that does not know them gets none until its class is registered again.
 */
export class Typing {
  readonly #deps: TypingDeps;
  readonly #shown = new Map<string, Shown>();
  /** The registration of each class whose service knows no activities, by the uid of the class. */
  readonly #silent = new Map<string, string>();
  readonly #stop = new AbortController();

  constructor(deps: TypingDeps) {
    this.#deps = deps;
  }

  /** The turn runs here from now on. */
  begun(turn: TypingTurn): void {
    if (this.#shown.has(turn.id) || this.#shown.size >= SHOWN_MAX || this.#stop.signal.aborted) return;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const shown: Shown = { isOver: false, wake: () => undefined, done };
    this.#shown.set(turn.id, shown);
    // Signals are best effort: a store that cannot be read costs one of them, and the turn itself shows that error.
    const ignored = (): undefined => undefined;
    this.#show(turn, shown)
      .catch(ignored)
      .finally(() => {
        this.#shown.delete(turn.id);
        resolve();
      });
  }

  /** The turn ended, or waits without running. */
  left(turnId: string): void {
    const shown = this.#shown.get(turnId);
    if (shown === undefined) return;
    shown.isOver = true;
    shown.wake();
  }

  /** Resolves once no signal is under way any more; turns that run keep theirs. */
  async settled(): Promise<void> {
    await Promise.all([...this.#shown.values()].filter(({ isOver }) => isOver).map(({ done }) => done));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const id of this.#shown.keys()) this.left(id);
    await this.settled();
  }

  async #show(turn: TypingTurn, shown: Shown): Promise<void> {
    const signal = await this.#signalOf(turn);
    if (signal === undefined || shown.isOver || !(await this.#send(signal, 'start'))) return;
    while (!shown.isOver) {
      await this.#pause(shown);
      if (shown.isOver || !(await this.#isRunning(turn.id))) break;
      if (!(await this.#send(signal, 'active'))) return;
    }
    await this.#send(signal, 'stop');
  }

  async #isRunning(turnId: string): Promise<boolean> {
    const turn = await this.#deps.store.read((tx) => tx.log.turn(turnId));
    return turn?.state === 'RUNNING';
  }

  #pause(shown: Shown): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.after(REPEAT_MS, resolve);
    shown.wake = () => {
      cancel();
      resolve();
    };
    if (shown.isOver) shown.wake();
    return promise;
  }

  /** What to show of the turn; undefined for nothing. */
  #signalOf({ namespace, sessionId, userMessageId }: TypingTurn): Promise<Signal | undefined> {
    return this.#deps.store.read(async (tx) => {
      const context = await contextOf(tx, namespace, sessionSubject(sessionId, userMessageId));
      if (context === undefined) return undefined;
      const { classUid, classNamespace, className, registrationId, connectorName } = context;
      const record = await tx.resources.get(recordKey('ConnectorClass', classNamespace, className));
      const live = await liveConnector(tx, context);
      const isDelivered = live.mode === 'auto' || live.mode === 'thread';
      if (record?.uid !== classUid || record.annotations[ACTIVITIES] !== TYPING || !isDelivered) return undefined;
      const { conversationId, threadId } = replyPlace(context, live.mode);
      return {
        identity: { uid: classUid, namespace: classNamespace, name: className },
        body: {
          activityId: this.#deps.ids.next(),
          registrationId,
          connectorClass: className,
          namespace,
          connectorName,
          matchFields: { ...live.matchFields },
          externalConversationId: conversationId,
          ...(threadId === '' ? {} : { externalThreadId: threadId }),
          kind: TYPING,
          labels: { 'svc.session': sessionId },
        },
      };
    });
  }

  /** False when the service gets no further signals of the turn. */
  async #send({ identity, body }: Signal, phase: Phase): Promise<boolean> {
    const { registrations, service } = this.#deps;
    const found = await registrations.placeOf(identity);
    if (found.state !== 'open' || this.#silent.get(identity.uid) === found.version) return false;
    const message = create(ConnectorActivityRequestSchema, { ...body, phase });
    const answer = await service.post({
      place: found.place,
      path: '/v1/activities',
      body: JSON.stringify(toJson(ConnectorActivityRequestSchema, message, { alwaysEmitImplicit: true })),
      timeoutMs: TIMEOUT_MS,
      signal: this.#stop.signal,
    });
    const isUnsupported = 'status' in answer && UNSUPPORTED.has(answer.status);
    if (isUnsupported) this.#silent.set(identity.uid, found.version);
    return !isUnsupported;
  }
}
