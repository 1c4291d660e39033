/** Body of a refusal as far as tests look into it. */
interface Refusal {
  readonly error?: {
    readonly details: readonly {
      readonly '@type': string;
      readonly reason?: string;
      readonly fieldViolations?: unknown;
    }[];
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Answer of SendMessage as far as tests need it. */
export interface Sent {
  readonly messageId: string;
  readonly turnId: string;
  readonly replyMessageId: string;
  readonly reply: string;
  readonly turnState: string;
}

/** Reason of the ErrorInfo of a refusal. */
export const reasonOf = (answer: Answer): string | undefined => {
  const details = (answer.body as Refusal | undefined)?.error?.details;
  return details?.find((detail) => detail['@type'].endsWith('ErrorInfo'))?.reason;
};

/** The API as JSON over HTTP/1.1, in namespace `default`. */
export class RestClient {
  readonly #url: () => string;

  constructor(url: () => string) {
    this.#url = url;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.#url() + path, init);
  }

  /** One call such as `GET /v1/namespaces`, whatever its outcome; a text body is sent as it is. */
  async call(what: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const [method = '', path = ''] = what.split(' ');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await this.fetch(path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: text }),
    });
    const received = await answer.text();
    return { status: answer.status, headers: answer.headers, body: received === '' ? undefined : JSON.parse(received) };
  }

  /** One call that must succeed; its body. */
  async ok<T = unknown>(what: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<T> {
    const answer = await this.call(what, body, headers);
    if (answer.status !== 200) throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }

  /** Status and reason of a call, as `400 FIELD_INVALID`; `200` when it succeeds. */
  async outcome(what: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const answer = await this.call(what, body, headers);
    return [answer.status, reasonOf(answer)].filter((part) => part !== undefined).join(' ');
  }

  /** A new session of a new or present agent; its path. */
  async session(agent: string, spec?: object): Promise<string> {
    if (spec !== undefined) await this.ok('POST /v1/ns/default/agents', { name: agent, spec });
    const { sessionId } = await this.ok<{ sessionId: string }>(`POST /v1/ns/default/agents/${agent}/sessions`, {});
    return `/v1/ns/default/agents/${agent}/sessions/${sessionId}`;
  }

  /** SendMessage; `fields` besides the message. Fails when it waits and the turn has not ended by then. */
  async send(session: string, message: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Sent> {
    const sent = await this.ok<Sent>(`POST ${session}/message`, { message, ...fields });
    const { waitSeconds } = fields;
    if (waitSeconds !== undefined && /_(QUEUED|RUNNING)$/.test(sent.turnState))
      throw new Error(`turn ${sent.turnId} is still ${sent.turnState} after ${String(waitSeconds)} s`);
    return sent;
  }
}
