import { isSvcError, type PlainClient } from '@svc/client/plain';
import type { WireEvent, WireMessagePage, WireSent, WireSession } from '../model/index.ts';
import { claimsOf, type TokenSource } from './token-source.ts';

/** Where the conversation is. Names that the page leaves out are those of the token's grant. */
export interface ChatNames {
  readonly namespace: string;
  readonly agent: string;
  readonly session: string;
}

/** A file of a message, as a `data:` address. */
export interface SentFile {
  /** IMAGE, AUDIO, VIDEO or FILE. */
  readonly partType: string;
  readonly name: string;
  readonly url: string;
}

/** What a person answers a request with. */
export interface RequestAnswer {
  readonly allow: boolean;
  readonly optionId?: string;
  /** Data by the schema of the request. */
  readonly data?: unknown;
}

/** The calls of one conversation. A refused token is renewed once; everything else is thrown as SvcError. */
export class ChatCalls {
  readonly #client: PlainClient;
  readonly #reader: PlainClient;
  readonly #tokens: TokenSource;
  readonly #names: ChatNames;

  constructor(parts: {
    readonly client: PlainClient;
    /** Tries nothing again: the follower of the stream does, and says so meanwhile. */
    readonly reader: PlainClient;
    readonly tokens: TokenSource;
    readonly names: ChatNames;
  }) {
    this.#client = parts.client;
    this.#reader = parts.reader;
    this.#tokens = parts.tokens;
    this.#names = parts.names;
  }

  /** The newest messages, and where the stream continues after them. */
  async load(messageLimit: number, signal: AbortSignal): Promise<WireSession> {
    return this.#renewing(async () =>
      this.#reader.call('GatewayService/GetSession', { ...(await this.#key()), messageLimit }, { signal }),
    );
  }

  /** Finished messages before one, or the newest ones. */
  async messages(pageSize: number, beforeMessageId = ''): Promise<WireMessagePage> {
    const page = { pageSize, ...(beforeMessageId === '' ? {} : { beforeMessageId }) };
    return this.#renewing(async () =>
      this.#client.call('GatewayService/ListSessionMessages', { ...(await this.#key()), ...page }),
    );
  }

  /** Sends a message; with the same key it is sent once, however often this is called. */
  async send(message: string, files: readonly SentFile[], idempotencyKey: string): Promise<WireSent> {
    const parts = files.map(({ partType, name, url }) => ({
      partType: `SESSION_MESSAGE_PART_TYPE_${partType}`,
      name,
      payloadJson: JSON.stringify({ url }),
    }));
    return this.#renewing(async () =>
      this.#client.call('GatewayService/SendMessage', { ...(await this.#key()), message, parts }, { idempotencyKey }),
    );
  }

  /** Stops what the agent does, and what waits for it. */
  async stop(): Promise<void> {
    await this.#renewing(async () =>
      this.#client.call('GatewayService/StopSessionGeneration', { ...(await this.#key()), turnId: '' }),
    );
  }

  /** Answers what the agent asks. */
  async answer(requestId: string, { allow, optionId = '', data }: RequestAnswer): Promise<void> {
    const answer = {
      requestId,
      optionId,
      decision: allow ? 'PERMISSION_DECISION_ALLOW' : 'PERMISSION_DECISION_DENY',
      answerJson: data === undefined ? '' : JSON.stringify(data),
    };
    await this.#renewing(async () =>
      this.#client.call('SessionControlService/AnswerPermission', { ...(await this.#key()), ...answer }),
    );
  }

  /** Has the last message of a person answered again, in place of the answer given. */
  async answerAgain(messageId: string): Promise<void> {
    const body = JSON.stringify({ messages: [], trigger: 'regenerate-message', messageId });
    await this.#renewing(async () => {
      const leave = new AbortController();
      const path = `/v1/ui${await this.#path()}`;
      await this.#client.open({ verb: 'POST', path, body, signal: leave.signal });
      // The stream of the session shows the answer; this one is not needed, and leaving it stops nothing.
      leave.abort();
    });
  }

  /** The bytes of a part of a finished message. */
  async content(messageId: string, partId: string): Promise<ArrayBuffer> {
    return this.#renewing(async () => {
      const path = `/v1${await this.#path()}/messages/${messageId}/parts/${partId}/content`;
      const answer = await this.#client.open({ verb: 'GET', path });
      return answer.arrayBuffer();
    });
  }

  /** Events of the session after a cursor. */
  async *events(
    after: string,
    options: { readonly signal: AbortSignal; readonly onOpen: () => void },
  ): AsyncGenerator<WireEvent, void, undefined> {
    const path = `/v1${await this.#path()}/stream?after=${encodeURIComponent(after)}`;
    yield* this.#reader.lines({ verb: 'GET', path, ...options });
  }

  async #renewing<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!isSvcError(error) || error.code !== 'UNAUTHENTICATED' || !this.#tokens.canRenew) throw error;
      this.#tokens.drop();
      return await call();
    }
  }

  async #key(): Promise<{ readonly ns: string; readonly agent: string; readonly sessionId: string }> {
    const claims = this.#tokens.isUsed ? claimsOf(await this.#tokens.current()) : undefined;
    const { namespace, agent, session } = this.#names;
    return {
      ns: namespace || claims?.namespace || 'default',
      agent: agent || claims?.agent || '',
      sessionId: session || claims?.session || '',
    };
  }

  async #path(): Promise<string> {
    const { ns, agent, sessionId } = await this.#key();
    const [namespace, name, id] = [ns, agent, sessionId].map(encodeURIComponent);
    return `/ns/${namespace}/agents/${name}/sessions/${id}`;
  }
}
