import { BoundedCache, type Clock, isFault } from '../../../../base/index.ts';
import { type McpAuthorization, McpFailure } from '../../../../protocols/mcp/contract.ts';

/** Fetch that follows no redirect and rejects for addresses that are not allowed. */
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A token that svc signs to say who asks. */
export interface PlatformToken {
  readonly audience: string;
  readonly claims: Readonly<Record<string, string>>;
  /** Unix seconds. */
  readonly expiresAt: number;
}

export interface BrokerTokensDeps {
  readonly clock: Clock;
  readonly sign: (token: PlatformToken) => Promise<string>;
  /** Requests to an address that a namespace named, or, where it is trusted, that the operator did. */
  readonly fetch: (isTrusted: boolean) => Fetch;
}

/** The session that a broker gives a token for, and how the broker is reached. */
export interface BrokerUse {
  /** Resource and configuration of the server: a change of either asks the broker again. */
  readonly server: string;
  /** Name of the McpServer. */
  readonly serverName: string;
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly audience: string;
  readonly cacheTtlSeconds: number;
  /** The broker was declared in `system`. */
  readonly isTrusted: boolean;
  /** Its address; throws a Fault for a secret that does not resolve. */
  url(): Promise<string>;
}

interface HeldToken {
  readonly text: string;
  readonly untilMs: number;
}

/** Time for one answer of a broker, its connection included. */
const TOTAL_MS = 15_000;
/** How long before its end a token is not used any more. */
const MARGIN_MS = 60_000;
/** How long the broker may use what svc says about the session. */
const PLATFORM_TOKEN_SECONDS = 300;
const TOKENS_MAX = 10_000;
const ANSWER_CHARACTERS_MAX = 64 * 1024;

/** Bearer tokens of the brokers of MCP servers: one for each server, namespace, agent and session, one request for it at a time. */
export class BrokerTokens {
  readonly #deps: BrokerTokensDeps;
  readonly #held = new BoundedCache<string, HeldToken>(TOKENS_MAX);
  readonly #asked = new Map<string, Promise<HeldToken>>();

  constructor(deps: BrokerTokensDeps) {
    this.#deps = deps;
  }

  /** What a connection for the session sends. */
  authorization(use: BrokerUse): McpAuthorization {
    const key = JSON.stringify([use.server, use.namespace, use.agent, use.sessionId]);
    return {
      token: () => this.#token(key, use),
      rejected: async () => this.#held.delete(key),
    };
  }

  async #token(key: string, use: BrokerUse): Promise<string> {
    const held = this.#held.get(key);
    if (held !== undefined && this.#nowMs < held.untilMs) return held.text;
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = this.#ask(use).finally(() => this.#asked.delete(key));
      this.#asked.set(key, asked);
      this.#held.set(key, await asked);
    }
    return (await asked).text;
  }

  get #nowMs(): number {
    return this.#deps.clock.nowMicros() / 1_000;
  }

  async #ask(use: BrokerUse): Promise<HeldToken> {
    const abort = new AbortController();
    const late = new McpFailure('timeout', `the auth broker did not answer within ${TOTAL_MS / 1_000} s`);
    const cancel = this.#deps.clock.after(TOTAL_MS, () => abort.abort(late));
    try {
      return this.#read(await this.#post(use, abort.signal), use);
    } catch (error) {
      if (error instanceof McpFailure) throw error;
      if (abort.signal.aborted) throw late;
      const fault = isFault(error) ? error : isFault((error as Error).cause) ? (error as Error).cause : undefined;
      const why = fault instanceof Error ? fault.message : 'it could not be reached';
      throw new McpFailure('auth', `the auth broker gave no token: ${why}`, { cause: error });
    } finally {
      cancel();
    }
  }

  async #post(use: BrokerUse, signal: AbortSignal): Promise<string> {
    const url = await use.url();
    if (!URL.canParse(url)) throw new McpFailure('auth', 'the address of the auth broker is not a URL');
    const { namespace, agent, sessionId, serverName } = use;
    const audience = use.audience === '' ? new URL(url).origin : use.audience;
    const platformToken = await this.#deps.sign({
      audience,
      expiresAt: Math.floor(this.#nowMs / 1_000) + PLATFORM_TOKEN_SECONDS,
      claims: { 'svc:ns': namespace, 'svc:mcp_server': serverName, 'svc:agent': agent, 'svc:session': sessionId },
    });
    const response = await this.#deps.fetch(use.isTrusted)(url, {
      method: 'POST',
      signal,
      headers: { authorization: `Bearer ${platformToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        namespace,
        mcp_server_name: serverName,
        agent_name: agent,
        session_id: sessionId,
        audience,
      }),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new McpFailure('auth', `the auth broker answered HTTP ${response.status}`);
    }
    return readText(response);
  }

  #read(text: string, { cacheTtlSeconds }: BrokerUse): HeldToken {
    const { authorization_bearer_token: token, expires_at_unix: expiresAt } = parsed(text);
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
      throw new McpFailure('auth', 'the auth broker answered without authorization_bearer_token');
    if (typeof expiresAt === 'number' && expiresAt > 0) return { text: token, untilMs: expiresAt * 1_000 - MARGIN_MS };
    if (cacheTtlSeconds === 0)
      throw new McpFailure(
        'auth',
        'the auth broker answered without expires_at_unix, and cache_ttl_seconds is not set',
      );
    return { text: token, untilMs: this.#nowMs + cacheTtlSeconds * 1_000 - MARGIN_MS };
  }
}

const parsed = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    throw new McpFailure('auth', 'the auth broker did not answer with JSON');
  }
};

const readText = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_CHARACTERS_MAX) throw new McpFailure('auth', 'the answer of the auth broker is too long');
  }
  return text;
};
