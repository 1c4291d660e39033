import {
  type ConnectorHost,
  type Delivery,
  DeliveryFailure,
  type InboundAttachment,
  type InboundEvent,
  type Platform,
} from '../kit/index.ts';
import { SettingError, type Settings } from '../settings.ts';
import { address, type ShippedConnector, secret } from './shipped-connector.ts';
import { sign, signatureProblem } from './signature.ts';

const TIMEOUT_MS = 10_000;
const SOURCE_MAX = 63;
/** Of an id or a name; svc takes no more. */
const ID_MAX = 512;

/** A body that is not a message; the text names the field. */
class BadMessage extends Error {}

function openWebhook(settings: Settings, host: ConnectorHost): Platform {
  const signingSecret = settings.require('secret');
  const deliverUrl = settings.require('deliverUrl');
  return {
    receive: async (request) => {
      // The signature is of the bytes as they came, not of what decoding makes of them.
      const body = new Uint8Array(await request.arrayBuffer());
      const problem = signatureProblem(
        { headers: request.headers, body },
        { secret: signingSecret, nowMs: Date.now() },
      );
      if (problem !== undefined) return Response.json({ error: problem }, { status: 401 });
      try {
        await host.ingest(eventOf(body));
      } catch (error) {
        if (error instanceof BadMessage) return Response.json({ error: error.message }, { status: 400 });
        throw error;
      }
      return Response.json({ taken: true });
    },
    deliver: (delivery) => post(delivery, { deliverUrl, signingSecret }),
  };
}

/** One message as documented in docs/connectors.md. */
function eventOf(body: Uint8Array): InboundEvent {
  const message = recordOf(parsed(body), 'the body');
  const id = idOf(message, 'id');
  const sender = recordOf(message['sender'], 'sender');
  const conversation = idOf(message, 'conversation');
  const source = optionalText(message, 'source') ?? 'default';
  if (source.length > SOURCE_MAX) throw new BadMessage(`source is longer than ${SOURCE_MAX} characters`);
  return {
    // Encoded, because a colon in a source could make two messages look like copies of each other.
    eventId: `webhook:${encodeURIComponent(source)}:${id}`,
    kind: 'created',
    matchFields: { source, conversation },
    conversation,
    thread: message['thread'] === undefined || message['thread'] === null ? undefined : idOf(message, 'thread'),
    messageId: id,
    conversationType: message['isPrivate'] === true ? 'dm' : 'channel',
    sender: { id: idOf(sender, 'id'), address: '', displayName: optionalText(sender, 'name') ?? '', kind: 'user' },
    text: optionalText(message, 'text') ?? '',
    attachments: attachmentsOf(message['attachments']),
    timeMs: timeOf(optionalText(message, 'time')),
    labels: {},
  };
}

function attachmentsOf(value: unknown): readonly InboundAttachment[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new BadMessage('attachments is not a list');
  return value.map((each, index) => {
    const file = recordOf(each, `attachments[${index}]`);
    const bytes = Buffer.from(textOf(file, 'contentBase64'), 'base64');
    return {
      filename: textOf(file, 'filename'),
      mediaType: optionalText(file, 'mediaType') ?? 'application/octet-stream',
      sizeBytes: bytes.length,
      read: async () => bytes,
    };
  });
}

async function post(delivery: Delivery, target: { deliverUrl: string; signingSecret: string }): Promise<void> {
  const { id, conversation, thread, replyTo, text, files } = delivery;
  const attachments = files.map(({ filename, mediaType, bytes }) => ({
    filename,
    mediaType,
    contentBase64: Buffer.from(bytes).toString('base64'),
  }));
  const body = JSON.stringify({ id, conversation, thread, replyTo, text, attachments });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const response = await fetch(target.deliverUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': id,
      'svc-webhook-timestamp': timestamp,
      'svc-webhook-signature': sign(target.signingSecret, timestamp, body),
    },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  // 409: it has seen this idempotency key before.
  if (!response.ok && response.status !== 409) throw failureOf(response);
}

function failureOf({ status, headers }: Response): DeliveryFailure {
  const text = `the receiver answered ${status}`;
  const retryAfter = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0];
  if (status === 429 || retryAfter !== undefined)
    return new DeliveryFailure('retry', text, { retryAfterSeconds: Number(retryAfter ?? 30) });
  if (status === 401 || status === 403) return new DeliveryFailure('retry', text, { isCredentialRefused: true });
  return new DeliveryFailure(status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'retry', text);
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new BadMessage('the body is not JSON in UTF-8', { cause });
  }
}

type Fields = Readonly<Record<string, unknown>>;

function recordOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadMessage(`${name} is not an object`);
  return value as Fields;
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value.trim() === '') throw new BadMessage(`${name} is missing or not a text`);
  return value;
}

/** An id that is longer would be refused at every attempt. */
function idOf(fields: Fields, name: string): string {
  const id = textOf(fields, name);
  if (id.length > ID_MAX) throw new BadMessage(`${name} is longer than ${ID_MAX} characters`);
  return id;
}

const optionalText = (fields: Fields, name: string): string | undefined =>
  fields[name] === undefined || fields[name] === null ? undefined : textOf(fields, name);

function timeOf(time: string | undefined): number {
  const ms = time === undefined ? 0 : Date.parse(time);
  if (Number.isNaN(ms)) throw new BadMessage('time is not a date such as 2026-01-02T03:04:05Z');
  return ms;
}

/** Any program that can sign a request. */
export const webhook: ShippedConnector = {
  name: 'webhook',
  title: 'Signed webhook',
  settings: [
    secret('secret', 'SVC_WEBHOOK_SECRET', 'key of the signatures in both directions, at least 16 characters'),
    { ...address('deliverUrl', 'SVC_WEBHOOK_DELIVER_URL', 'address to which replies are posted'), isRequired: true },
  ],
  matchIndexes: [
    { name: 'conversation', fields: ['source', 'conversation'] },
    { name: 'source', fields: ['source'] },
  ],
  verification: 'svc-webhook-signature: HMAC-SHA256 over time and body with the secret, at most 5 minutes old',
  open: async (settings) => {
    if (settings.require('secret').length < 16) throw new SettingError('secret', 'secret has fewer than 16 characters');
    return (host) => openWebhook(settings, host);
  },
};
