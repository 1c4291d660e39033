import type { StoredMessage } from './shapes.ts';

export interface RestAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Agent and session id, in the namespace of the tests. */
export type SessionKey = readonly [agent: string, sessionId: string];

/** Answer of SendMessage as far as tests need it. */
export interface Sent {
  readonly messageId: string;
  readonly turnId: string;
  readonly replyMessageId: string;
  readonly reply: string;
  readonly turnState: string;
}

interface SendExtra {
  readonly key?: string;
  readonly [field: string]: unknown;
}

interface MessagePage {
  readonly items: readonly { readonly message: StoredMessage }[];
  readonly state: string;
  readonly streamCursor: string;
  readonly hasMore: boolean;
  readonly nextBeforeMessageId?: string;
}

/** Most pages of a session that a test reads. */
const MAX_PAGES = 1000;
const NAMESPACE = 'default';

/** The API as JSON over HTTP/1.1 against one address. */
export class RestCaller {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.#url + path, {
      ...init,
      headers: { ...this.#headers, ...(init.headers as Record<string, string>) },
    });
  }

  /** One call such as `GET /v1/namespaces`, whatever its outcome. */
  async call<T>(what: string, body?: unknown, headers: Record<string, string> = {}): Promise<RestAnswer<T>> {
    const [method = '', path = ''] = what.split(' ');
    const answer = await this.fetch(path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as T };
  }

  /** One call that must succeed. */
  async ok<T>(what: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const answer = await this.call<T>(what, body, headers);
    if (answer.status !== 200) throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Path of a session in the namespace of the tests. */
  sessionPath(agent: string, sessionId: string): string {
    return `/v1/ns/${NAMESPACE}/agents/${agent}/sessions/${sessionId}`;
  }

  async createAgent(name: string, spec: object = {}): Promise<void> {
    await this.ok(`POST /v1/ns/${NAMESPACE}/agents`, { name, spec });
  }

  async createSession(agent: string): Promise<SessionKey> {
    const { sessionId } = await this.ok<{ sessionId: string }>(`POST /v1/ns/${NAMESPACE}/agents/${agent}/sessions`, {});
    return [agent, sessionId];
  }

  /**
   * Sends; `key` is an idempotency key, the rest are fields of SendMessage. Fails when it waits and the turn has not ended
   * by then.
   */
  async send(session: SessionKey, message: string, { key, ...extra }: SendExtra = {}): Promise<Sent> {
    const what = `POST ${this.sessionPath(...session)}/message`;
    const sent = await this.ok<Sent>(what, { message, ...extra }, key === undefined ? {} : { 'idempotency-key': key });
    if (extra['waitSeconds'] !== undefined && /_(QUEUED|RUNNING)$/.test(sent.turnState))
      throw new Error(`turn ${sent.turnId} is still ${sent.turnState} after ${String(extra['waitSeconds'])} s`);
    return sent;
  }

  /** All finished messages, oldest first. */
  async messages(session: SessionKey): Promise<readonly StoredMessage[]> {
    const all: StoredMessage[] = [];
    let before = '';
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page = await this.messagePage(session, `?pageSize=200${before === '' ? '' : `&beforeMessageId=${before}`}`);
      all.unshift(...page.items.map((item) => item.message));
      if (page.nextBeforeMessageId === undefined) return all;
      before = page.nextBeforeMessageId;
    }
    throw new Error(`more than ${MAX_PAGES} pages`);
  }

  async messagePage(session: SessionKey, query = ''): Promise<MessagePage> {
    return this.ok<MessagePage>(`GET ${this.sessionPath(...session)}/messages${query}`);
  }

  async state(session: SessionKey): Promise<string> {
    return (await this.ok<{ state: string }>(`GET ${this.sessionPath(...session)}?messageLimit=-1`)).state;
  }

  /** Opens the NDJSON stream of a session. */
  async stream(session: SessionKey, query: string, signal?: AbortSignal): Promise<Response> {
    const answer = await this.fetch(
      `${this.sessionPath(...session)}/stream${query}`,
      signal === undefined ? {} : { signal },
    );
    if (answer.status !== 200) throw new Error(`stream ${query}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}
