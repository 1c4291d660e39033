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

  /** One call whatever its outcome. */
  async call<T>(
    verb: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RestAnswer<T>> {
    const answer = await this.fetch(path, {
      method: verb,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as T };
  }

  /** One call that must succeed. */
  async ok<T>(verb: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const answer = await this.call<T>(verb, path, body, headers);
    if (answer.status !== 200) throw new Error(`${verb} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Path of a session in the namespace of the tests. */
  sessionPath(agent: string, sessionId: string): string {
    return `/v1/ns/${NAMESPACE}/agents/${agent}/sessions/${sessionId}`;
  }

  async createAgent(name: string, spec: object = {}): Promise<void> {
    await this.ok('POST', `/v1/ns/${NAMESPACE}/agents`, { name, spec });
  }

  async createSession(agent: string): Promise<SessionKey> {
    const { sessionId } = await this.ok<{ sessionId: string }>(
      'POST',
      `/v1/ns/${NAMESPACE}/agents/${agent}/sessions`,
      {},
    );
    return [agent, sessionId];
  }

  /** Sends; `extra` holds other fields of SendMessage, `key` an idempotency key. */
  async send(session: SessionKey, message: string, extra: object = {}, key?: string): Promise<Sent> {
    const path = `${this.sessionPath(...session)}/message`;
    return this.ok<Sent>('POST', path, { message, ...extra }, key === undefined ? {} : { 'idempotency-key': key });
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
    return this.ok<MessagePage>('GET', `${this.sessionPath(...session)}/messages${query}`);
  }

  async state(session: SessionKey): Promise<string> {
    const path = `${this.sessionPath(...session)}?messageLimit=-1`;
    return (await this.ok<{ state: string }>('GET', path)).state;
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
