import { createHash } from 'node:crypto';
import { create, fromJson, type JsonObject, toJson } from '@bufbuild/protobuf';
import { type ObjectRef, ObjectRefSchema } from '@svc/api/data';
import {
  type ConnectorMessageEvent,
  ConnectorMessageEventResponseSchema,
  ConnectorMessageEventSchema,
  ConnectorMessageEventStatus,
  ConnectorStatusEventSchema,
} from '@svc/api/external';
import { type InboundAttachment, NotTaken } from './contract.ts';
import { boundedFilename } from './event-message.ts';
import type { Registration } from './registrations.ts';

/** How long svc may take to answer; a platform waits for its own answer meanwhile. */
const CALL_TIMEOUT_MS = 20_000;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+*-]+(?:;[\x20-\x7e]*)?$/;

interface CallbackOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Called when svc does not accept the secret of a registration. */
  readonly onRefused: (registration: Registration) => void;
}

/** The calls that this service makes to svc, each with the secret of one registration. */
export class Callbacks {
  readonly #options: CallbackOptions;

  constructor(options: CallbackOptions) {
    this.#options = options;
  }

  /** Hands over one event; resolves with the outcome, throws NotTaken when svc did not decide about it. */
  async ingest(registration: Registration, event: ConnectorMessageEvent): Promise<ConnectorMessageEventStatus> {
    const body = toJson(ConnectorMessageEventSchema, event);
    const answer = await this.#call(registration, 'message-events', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { status } = fromJson(ConnectorMessageEventResponseSchema, answer, { ignoreUnknownFields: true });
    if (status === ConnectorMessageEventStatus.UNSPECIFIED) throw new NotTaken('svc answered without an outcome');
    return status;
  }

  /** Uploads a file under the registration; the reference is valid for a day. */
  async upload(
    registration: Registration,
    file: InboundAttachment,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<ObjectRef> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const query = new URLSearchParams({ filename: boundedFilename(file.filename), sha256 });
    // The sender of a mail writes the type, which may be none that a header can hold.
    const mediaType = MEDIA_TYPE.test(file.mediaType) ? file.mediaType : 'application/octet-stream';
    const answer = await this.#call(registration, `attachments?${query}`, {
      headers: { 'content-type': mediaType },
      body: bytes,
    });
    return fromJson(ObjectRefSchema, answer, { ignoreUnknownFields: true });
  }

  /** Reports the state of the connection to the platform. */
  async reportStatus(registration: Registration, status: string, reason: string): Promise<void> {
    const event = create(ConnectorStatusEventSchema, { registrationId: registration.id, status, reason });
    await this.#call(registration, 'status', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(toJson(ConnectorStatusEventSchema, event)),
    });
  }

  async #call(
    registration: Registration,
    path: string,
    request: { readonly headers: Readonly<Record<string, string>>; readonly body: string | Uint8Array<ArrayBuffer> },
  ): Promise<JsonObject> {
    const answer = await this.#send(`${registration.callbackBaseUrl}/${path}`, {
      method: 'POST',
      redirect: 'error',
      headers: { ...request.headers, authorization: `Bearer ${registration.secret}` },
      body: request.body,
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    if (answer.status === 401) this.#options.onRefused(registration);
    if (!answer.ok)
      throw new NotTaken(`svc answered ${answer.status}: ${reasonOf(answer.text)}`, {
        retryAfterSeconds: answer.retryAfter,
      });
    return objectOf(answer.text);
  }

  async #send(url: string, init: RequestInit): Promise<Answer> {
    try {
      const response = await this.#options.fetch(url, init);
      return {
        ok: response.ok,
        status: response.status,
        text: await response.text(),
        retryAfter: secondsOf(response.headers.get('retry-after')),
      };
    } catch (cause) {
      throw new NotTaken('svc cannot be reached', { cause });
    }
  }
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
  readonly retryAfter: number | undefined;
}

/** A Retry-After in whole seconds; undefined for a date or nonsense. */
const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d{1,6}$/.test(header.trim()) ? Number(header) : undefined;

function objectOf(text: string): JsonObject {
  const value: unknown = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotTaken('svc answered without a JSON object');
  return value as JsonObject;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NotTaken('svc answered something other than JSON', { cause });
  }
}

/** The message of an error body, cut; errors of svc never contain a secret. */
function reasonOf(text: string): string {
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.){0,300})/.exec(text)?.[1];
  return message ?? 'no reason given';
}
