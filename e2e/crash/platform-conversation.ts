import { expect } from 'vitest';
import { RestCaller, type SessionKey, textOf } from '../calls/index.ts';
import { ConnectorService, type Treatment } from '../connector-service/index.ts';
import { ServerProcess, until } from '../server-process/index.ts';

const STATUS = 'svc/connector-delivery-status';
const COPIES = 20;

/** How a conversation is disturbed. */
export interface Disturbance {
  /** Fault point at which the server dies from the first copy of the event on, such as `after-tool:1`. */
  readonly untilReview?: string;
  /** Fault point at which it dies from the release of the reply on. */
  readonly fromRelease?: string;
  /** It dies once the service has answered that it took the reply. */
  readonly afterAnswer?: boolean;
  /** What the service does with the first attempts; `die` kills the server while it waits for the answer. */
  readonly attempts?: readonly (Exclude<Treatment, () => void> | 'die')[];
}

interface EventAnswer {
  readonly status: string;
  readonly consumer?: { readonly session?: { readonly sessionId: string } };
}

/** A server, a connector service, and people who write on the platform and review replies; a server that dies is started again. */
export class PlatformConversation implements AsyncDisposable {
  readonly #server: ServerProcess;
  readonly #service: ConnectorService;
  readonly #rest: RestCaller;
  #deaths = 0;
  #isOver = false;
  #kept: Promise<void> = Promise.resolve();

  private constructor(server: ServerProcess, service: ConnectorService) {
    this.#server = server;
    this.#service = service;
    this.#rest = new RestCaller(server.url);
  }

  static async start(): Promise<PlatformConversation> {
    const service = await ConnectorService.start();
    const server = await ServerProcess.start({ environment: { SVC_LIMITS_DELIVERY_TIMEOUT: '1s' } });
    const conversation = new PlatformConversation(server, service);
    await conversation.#apply();
    conversation.#kept = conversation.#keepUp();
    return conversation;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#server.kill();
    await this.#kept;
    await this.#server[Symbol.asyncDispose]();
    await this.#service[Symbol.asyncDispose]();
  }

  /** Plays a whole conversation, expects that everything in it happened once, and answers how often the server died. */
  async play(name: string, { untilReview, fromRelease, afterAnswer, attempts = [] }: Disturbance): Promise<number> {
    const deaths = this.#deaths;
    const kill = (): void => void process.kill(this.#server.pid, 'SIGKILL');
    this.#service.treatments.push(...attempts.map((treatment) => (treatment === 'die' ? kill : treatment)));
    this.#service.onAnswered = afterAnswer === true ? kill : undefined;
    const sessions = await this.#sessions();
    if (untilReview !== undefined) await this.#server.arm(untilReview);
    const session = await this.#receive(name);
    const message = await this.#awaitStatus(session, 'pending_review');
    expect(this.#sent(name)).toEqual([]);
    if (fromRelease !== undefined) await this.#server.arm(fromRelease);
    await this.#release(session, message, `the answer to ${name}`);
    await this.#awaitStatus(session, 'delivered');
    await this.#expectOnce(name, session);
    expect(await this.#sessions()).toBe(sessions + 1);
    return this.#deaths - deaths;
  }

  async #apply(): Promise<void> {
    const matchIndexes = [{ name: 'team', fields: ['team'] }];
    const auth = { kind: 'apiKey', apiKey: { plain: 'key-of-the-test' } };
    const consumer = { session: { agent: { name: 'helper' }, replyMode: 'hold_for_review' } };
    const documents = [
      {
        kind: 'ConnectorClass',
        metadata: { name: 'chat' },
        spec: { platform: 'test', runtime: { endpoint: this.#service.url }, auth, matchIndexes },
      },
      {
        kind: 'Connector',
        metadata: { name: 'held' },
        spec: { classRef: 'chat', matchFields: { team: 't1' }, consumer },
      },
    ];
    await this.#rest.createAgent('helper');
    const text = documents.map((item) => JSON.stringify(item)).join('\n---\n');
    await this.#rest.ok('POST /v1/manifests:apply', { ns: 'default', text });
    await until('the connector is ready', async () => {
      const { resource } = await this.#rest.ok<{ resource: { status: { connector?: { phase: string } } } }>(
        'GET /v1/ns/default/resources/Connector/held',
      );
      return resource.status.connector?.phase === 'ready' || undefined;
    });
  }

  /** Starts the server again as often as it is killed, which may be before it is ready. */
  async #keepUp(): Promise<void> {
    while ((await this.#server.ended()).signal === 'SIGKILL' && !this.#isOver) {
      this.#deaths += 1;
      await this.#server.restart().catch((error: unknown) => {
        if (!this.#server.isGone) throw error;
      });
    }
  }

  /** Asks until there is an answer, also of a server that is down for a while. */
  #asks<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    return until(what, async () => {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        return undefined;
      }
    });
  }

  #sessions(): Promise<number> {
    return this.#asks('sessions are counted', async () => {
      const { sessions } = await this.#rest.ok<{ sessions: readonly unknown[] }>(
        'GET /v1/ns/default/agents/helper/sessions?pageSize=200',
      );
      return sessions.length;
    });
  }

  /** The platform sends the event in 20 copies at once, each until it is acknowledged; one of them at most is the first. */
  async #receive(name: string): Promise<SessionKey> {
    const event = {
      eventId: `event ${name}`,
      matchFields: { team: 't1' },
      externalConversationId: name,
      externalThreadId: `thread of ${name}`,
      externalMessageId: `message of ${name}`,
      conversationType: 'channel',
      sender: { externalId: 'u1', displayName: 'Ada', kind: 'user' },
      text: '!tool calculate {"expression":"6*7"}\n!say draft',
    };
    const send = () =>
      this.#asks('the event is acknowledged', async () => {
        const headers = { authorization: `Bearer ${this.#service.secret}` };
        const { status, body } = await this.#rest.call<EventAnswer>(
          'POST /v1/connectors/message-events',
          event,
          headers,
        );
        if (status === 503) return undefined;
        expect([status, body]).toEqual([200, expect.anything()]);
        return body;
      });
    const answers = await Promise.all(Array.from({ length: COPIES }, send));
    const statuses = answers.map(({ status }) => status.replace('CONNECTOR_MESSAGE_EVENT_STATUS_', ''));
    expect(statuses.filter((status) => status !== 'DUPLICATE').join()).toMatch(/^(ACCEPTED)?$/);
    const ids = new Set(answers.map(({ consumer }) => consumer?.session?.sessionId));
    expect(ids.size).toBe(1);
    return ['helper', [...ids][0] ?? ''];
  }

  /** The id of the agent's message once its delivery has that status. */
  #awaitStatus(session: SessionKey, status: string): Promise<string> {
    return this.#asks(
      `the reply is ${status}`,
      async () => (await this.#rest.messages(session)).find(({ labels }) => labels[STATUS] === status)?.id,
    );
  }

  /** A person edits the reply and lets it go; who gets no answer looks at how it is before it is tried again. */
  #release(session: SessionKey, message: string, content: string): Promise<boolean> {
    const parts = [{ partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content }];
    return this.#asks('the reply is released', async () => {
      const stored = (await this.#rest.messages(session)).find(({ id }) => id === message);
      if (stored?.labels[STATUS] !== 'pending_review') return true;
      const path = `PATCH ${this.#rest.sessionPath(...session)}/messages/${message}`;
      await this.#rest.ok(path, { labels: { [STATUS]: 'delivery_requested' }, parts });
      return true;
    });
  }

  #sent(name: string) {
    return this.#service.attempts.filter(({ externalConversationId }) => externalConversationId === name);
  }

  /** One answer on the platform, in its thread, as it was edited, under one id; one turn, whose tool ran once. */
  async #expectOnce(name: string, session: SessionKey): Promise<void> {
    const delivery = {
      connectorName: 'held',
      externalConversationId: name,
      externalThreadId: `thread of ${name}`,
      replyToExternalMessageId: `message of ${name}`,
      text: `the answer to ${name}`,
    };
    const taken = this.#service.taken.filter(({ externalConversationId }) => externalConversationId === name);
    expect(taken).toEqual([expect.objectContaining(delivery)]);
    const attempts = this.#sent(name);
    expect(attempts).toEqual(attempts.map(() => taken[0]));
    const rows = await this.#asks('deliveries are listed', async () => {
      const { deliveries } = await this.#rest.ok<{
        deliveries: readonly { sessionId: string; state: string; id: string }[];
      }>('GET /v1/ns/default/deliveries?pageSize=200');
      return deliveries.filter(({ sessionId }) => sessionId === session[1]);
    });
    expect(rows.map(({ id, state }) => [id, state])).toEqual([[taken[0]?.deliveryId, 'delivered']]);
    const messages = await this.#asks('the session is read', () => this.#rest.messages(session));
    expect(messages.map((message) => [message.role, textOf(message)])).toEqual([
      ['ROLE_USER', '!tool calculate {"expression":"6*7"}\n!say draft'],
      ['ROLE_ASSISTANT', `the answer to ${name}`],
    ]);
  }
}
