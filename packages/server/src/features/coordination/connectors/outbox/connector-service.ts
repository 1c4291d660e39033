import type { Clock } from '../../../../base/index.ts';
import { isJsonMap, type JsonData } from '../../../../resources/index.ts';
import type { DeliveryAnswer } from './answer-rules.ts';

/** `fetch` under the rules for addresses that namespaces name; rejects like it. */
export type ConnectorFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Where a connector service is, and what it knows this server by. */
export interface ServicePlace {
  readonly endpoint: string;
  /** '' without a credential. */
  readonly apiKey: string;
  /** Its address may be anywhere: the class is one of the operator's. */
  readonly isTrusted: boolean;
}

/** One request to a connector service. */
export interface ServiceCall {
  readonly place: ServicePlace;
  /** Follows the endpoint; begins with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ConnectorServiceDeps {
  readonly fetch: (isTrusted: boolean) => ConnectorFetch;
  readonly clock: Pick<Clock, 'after'>;
}

/** The version of the protocol between this server and connector services. */
const PROTOCOL = { 'svc-connector-protocol': 'v1' } as const;
const ANSWER_BYTES = 65_536;

/** Posts JSON to connector services. Follows no redirect, reads at most 64 KiB of an answer, and never rejects. */
export class ConnectorService {
  readonly #deps: ConnectorServiceDeps;

  constructor(deps: ConnectorServiceDeps) {
    this.#deps = deps;
  }

  async post({ place, path, headers = {}, body, timeoutMs, signal }: ServiceCall): Promise<DeliveryAnswer> {
    const late = new AbortController();
    const cancel = this.#deps.clock.after(timeoutMs, () => late.abort());
    const { endpoint, apiKey, isTrusted } = place;
    const credential: Record<string, string> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
    try {
      const answer = await this.#deps.fetch(isTrusted)(`${endpoint}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', ...PROTOCOL, ...credential, ...headers },
        body,
        signal: AbortSignal.any([signal, late.signal]),
      });
      const retryAfter = answer.headers.get('retry-after') ?? '';
      return { status: answer.status, retryAfter, body: await jsonOf(answer) };
    } catch (error) {
      if (late.signal.aborted) return { failed: `TIMEOUT: no answer within ${timeoutMs / 1_000} s` };
      return { failed: `UNREACHABLE: ${failureWord(error)}` };
    } finally {
      cancel();
    }
  }
}

/** The JSON object in an answer; undefined for anything else, and for more than is read. */
const jsonOf = async (answer: Response): Promise<Extract<DeliveryAnswer, { status: number }>['body']> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    const value = JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonData;
    return isJsonMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** What may be shown of a failed connection: its code, such as ECONNREFUSED, or the reason of a refused address. */
const failureWord = (error: unknown): string => {
  for (let at: unknown = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { reason, code } = at as { readonly reason?: unknown; readonly code?: unknown };
    if (typeof reason === 'string') return reason;
    if (typeof code === 'string') return code;
  }
  return 'the connection failed';
};
