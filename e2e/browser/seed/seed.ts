import { RestCaller } from '../../calls/index.ts';
import { until } from '../../server-process/index.ts';
import type { ChatPlatform } from './chat-platform.ts';
import { shopDocuments } from './documents.ts';

/** What tests and addresses of screens need to know of a seeded instance. */
export interface Seeded {
  /** Session with Markdown, reasoning, tools, a file and a failed tool. */
  readonly session: string;
  /** Fork of that session which runs with another model, temperature and prompt. */
  readonly fork: string;
  /** Session whose turn waits for a person to allow a tool. */
  readonly waitingSession: string;
  /** Session of the agent without a model, whose turn failed. */
  readonly failedSession: string;
  /** Session of a message of the platform, whose reply waits for review. */
  readonly heldSession: string;
  /** Id of the platform's message in that session. */
  readonly heldEvent: string;
  /** Run of the workflow `refund` that waits for a person. */
  readonly waitingRun: string;
  /** Run of the workflow `failing`. */
  readonly failedRun: string;
  /** Name of the process. */
  readonly worker: string;
  /** Credentials by role; the admin's is the token of the server. */
  readonly apiKeys: Readonly<Record<'viewer' | 'operator', string>>;
}

const RICH = [
  '!think The customer asks for a price with tax, so I calculate it. Then I look into the handbook.',
  '!tool calculate {"expression":"200 * 1.19"}',
  '!tool knowledge_search {"query":"shipping"}',
  '!tool calculate {"expression":"1 / ("}',
  '!file offer.txt Two chairs, 238 EUR with tax.',
  // Lines without a directive are repeated as they are.
  'here is the offer.\n\n## Your order\n\nIt costs **238 EUR** with tax, see [the terms](https://shop.example/terms):\n',
  '| Part | EUR |\n|---|---:|\n| Two chairs | 200 |\n| Tax | 38 |\n',
  '1. Pay\n2. Wait for `Norway`\n\n```json\n{ "order": "A9" }\n```',
].join('\n');

/** Fills an empty instance through its API; `admin` is the token of an admin. Deliveries go to the platform while it is open. */
export class ShopSeed {
  readonly #api: RestCaller;
  readonly #platform: ChatPlatform;
  #events = 0;

  constructor(url: string, admin: string, platform: ChatPlatform) {
    this.#api = new RestCaller(url, { authorization: `Bearer ${admin}` });
    this.#platform = platform;
  }

  async plant(): Promise<Seeded> {
    await this.#api.ok('POST /v1/manifests:apply', { ns: 'shop', text: shopDocuments(this.#platform.url) });
    const [apiKeys, session, waitingSession, failedSession, held, waitingRun, failedRun] = await Promise.all([
      this.#makeKeys(),
      this.#converse('support', ['Hello, what do two chairs cost?', RICH, 'And to Norway?']),
      this.#begin('support', '!tool create_goal {"objective":"Send two chairs to Norway"}'),
      this.#converse('broken', ['Is anyone there?']),
      this.#connect(),
      this.#run('refund', { order: 'A7', amount: 200 }, 'SUSPENDED'),
      this.#run('failing', {}, 'FAILED'),
      this.#run('refund', { order: 'A8', amount: 20 }, 'COMPLETED'),
      this.#talkInChannel(),
      this.#readInTheNorth(),
      this.#storeFiles(),
      this.#api.ok('POST /v1/ns/shop/schedules/morning:run', {}),
    ]);
    const fork = await this.#fork(session);
    return {
      apiKeys,
      session,
      fork,
      worker: await this.#worker(),
      waitingSession,
      failedSession,
      waitingRun,
      failedRun,
      ...held,
    };
  }

  async #makeKeys(): Promise<Seeded['apiKeys']> {
    const make = async (role: string): Promise<string> =>
      (
        await this.#api.ok<{ secret: string }>('POST /v1/auth/api-keys', {
          name: `${role} of the shop`,
          grants: [{ role }],
        })
      ).secret;
    const [viewer, operator] = await Promise.all([make('viewer'), make('operator')]);
    return { viewer, operator };
  }

  async #open(agent: string, ns = 'shop'): Promise<string> {
    const answer = await this.#api.ok<{ session: { metadata: { name: string } } }>(
      `POST /v1/ns/${ns}/agents/${agent}/sessions`,
      {},
    );
    return answer.session.metadata.name.split('/').at(-1) ?? '';
  }

  /** Opens a session and sends one message after another. */
  async #converse(agent: string, messages: readonly string[], ns = 'shop'): Promise<string> {
    const session = await this.#open(agent, ns);
    const path = `POST /v1/ns/${ns}/agents/${agent}/sessions/${session}/message`;
    for (const message of messages) await this.#api.ok(path, { message, waitSeconds: 20 });
    return session;
  }

  /** Copies a session of the agent `support` into one that runs with other values, and asks it something. */
  async #fork(session: string): Promise<string> {
    const sessions = 'POST /v1/ns/shop/agents/support/sessions';
    const { sessionId } = await this.#api.ok<{ sessionId: string }>(`${sessions}/${session}:fork`, {
      overrides: { model: 'other', temperature: 0.5, systemPrompt: 'You are a parrot.' },
    });
    await this.#api.ok(`${sessions}/${sessionId}/message`, {
      message: '!say To Norway it takes four days.',
      waitSeconds: 20,
    });
    return sessionId;
  }

  async #worker(): Promise<string> {
    const { resources } = await this.#api.ok<{ resources: readonly { metadata: { name: string } }[] }>(
      'GET /v1/ns/-/resources?kind=Worker',
    );
    return resources[0]?.metadata.name ?? '';
  }

  /** Opens a session whose turn comes to wait for a person. */
  async #begin(agent: string, message: string): Promise<string> {
    const session = await this.#open(agent);
    await this.#api.ok(`POST /v1/ns/shop/agents/${agent}/sessions/${session}/message`, { message });
    await until('the turn asks a person', async () => {
      const { requests = [] } = await this.#api.ok<{ requests?: readonly { readonly sessionId: string }[] }>(
        'GET /v1/ns/shop/permission-requests',
      );
      return requests.some(({ sessionId }) => sessionId === session) ? true : undefined;
    });
    return session;
  }

  async #run(workflow: string, input: object, status: string): Promise<string> {
    const path = `POST /v1/ns/shop/workflows/${workflow}/runs`;
    const { run } = await this.#api.ok<{ run: { id: string; status: string } }>(path, {
      inputJson: JSON.stringify(input),
      waitSeconds: 20,
    });
    if (!run.status.endsWith(status)) throw new Error(`the run of ${workflow} is ${run.status}, not ${status}`);
    return run.id;
  }

  /** One message that an agent answers, and one that none does. */
  async #talkInChannel(): Promise<void> {
    const post = 'POST /v1/ns/shop/channels/desk/messages';
    await this.#api.ok(post, { author: 'Ann', content: 'The parcel of order A7 came back.' });
    await this.#api.ok(post, { author: 'Bob', content: '@support please tell the customer.' });
  }

  /** Uses four of the five model calls that the policy of the north allows. */
  async #readInTheNorth(): Promise<void> {
    await this.#converse('bookworm', ['one', 'two', 'three', 'four'], 'shop:north');
  }

  async #storeFiles(): Promise<void> {
    const store = (path: string, mediaType: string, content: Uint8Array): Promise<unknown> =>
      this.#api.ok('POST /v1/ns/shop/files', {
        file: { spec: { path, mediaType, retention: 'FILE_RETENTION_RETAINED' } },
        content: Buffer.from(content).toString('base64'),
      });
    await Promise.all([
      store('/letters/a7.md', 'text/markdown', Buffer.from('# Refund of A7\nDear customer, ...\n')),
      store('/pictures/dot.png', 'image/png', Buffer.from(DOT, 'base64')),
      store('/tables/stock.csv', 'text/csv', Buffer.from('item,count\nchair,12\ntable,3\n')),
    ]);
  }

  /** Messages of the platform: one answered, one held for review, one routed to a channel, one whose delivery is dead. */
  async #connect(): Promise<Pick<Seeded, 'heldSession' | 'heldEvent'>> {
    await this.#say('chat', { matchFields: { team: 'front' }, text: 'Where is my parcel?' });
    await this.#say('chat', {
      matchFields: { team: 'room' },
      text: '!tool channel_publish {"content":"A customer waits."}',
    });
    await this.#say('closed', { matchFields: { place: 'closed' }, text: 'Are you open?' });
    const held = await this.#say('chat', { matchFields: { team: 'reviewed' }, text: 'May I have my money back?' });
    await this.#comes('held');
    await this.#comes('pending');
    await this.#api.ok('DELETE /v1/ns/shop/resources/ConnectorClass/closed');
    await this.#comes('dead');
    return { heldSession: held.session, heldEvent: held.event };
  }

  /** Sends a message as the platform does, once its class is registered. */
  async #say(className: string, message: object): Promise<{ readonly session: string; readonly event: string }> {
    const secret = await until(`class ${className} is registered`, async () => this.#platform.secretOf(className));
    this.#events += 1;
    const event = `event-${this.#events}`;
    const sender = { externalId: 'u1', displayName: 'Ada', kind: 'user' };
    const place = { externalConversationId: event, externalMessageId: event, conversationType: 'dm' };
    const headers = { authorization: `Bearer ${secret}` };
    const path = 'POST /v1/connectors/message-events';
    const accepted = await until('the message is accepted', async () => {
      const { status, body } = await this.#api.call<{
        status: string;
        consumer?: { session?: { sessionId: string } };
      }>(path, { eventId: event, sender, ...place, ...message }, headers);
      return status === 200 && body.status.endsWith('ACCEPTED') ? body : undefined;
    });
    return { session: accepted.consumer?.session?.sessionId ?? '', event };
  }

  /** Waits for a delivery in this state. */
  async #comes(state: string): Promise<void> {
    await until(`a delivery is ${state}`, async () => {
      const { deliveries = [] } = await this.#api.ok<{ deliveries?: readonly { readonly state: string }[] }>(
        'GET /v1/ns/shop/deliveries',
      );
      return deliveries.some((delivery) => delivery.state === state) ? true : undefined;
    });
  }
}

/** A green picture of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==';
