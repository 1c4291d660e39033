import type { Adapter, FileUpload } from 'chat';
import { type Delivery, DeliveryFailure } from '../kit/index.ts';
import type { ChatConnector, Verdict } from './chat-connector.ts';
import { splitText } from './split-text.ts';

/** Writes a reply by an adapter: its text in as many messages as the platform needs, its files with the last of them. */
export async function postReply(connector: ChatConnector, adapter: Adapter, delivery: Delivery): Promise<void> {
  const threadId = connector.threadOf(adapter, delivery);
  const texts = splitText(delivery.text, connector.maxTextLength);
  for (const [index, markdown] of texts.entries()) {
    if (index < delivery.partsSent) continue;
    const files = index === texts.length - 1 ? delivery.files.map(fileOf) : [];
    try {
      await adapter.postMessage(threadId, files.length === 0 ? { markdown } : { markdown, files });
    } catch (error) {
      throw failureOf(connector.judge?.(error) ?? judge(error), error);
    }
    delivery.onPartSent();
  }
}

const fileOf = ({ bytes, filename, mediaType }: Delivery['files'][number]): FileUpload => ({
  data: Buffer.from(bytes),
  filename,
  mimeType: mediaType,
});

const failureOf = (verdict: Verdict, cause: unknown): DeliveryFailure =>
  new DeliveryFailure(verdict.outcome, verdict.reason, {
    retryAfterSeconds: verdict.retryAfterSeconds,
    isCredentialRefused: verdict.isCredentialRefused ?? false,
    cause,
  });

/** What the errors mean that all adapters share, by their class names: the package with the classes is as optional as the adapters. */
function judge(error: unknown): Verdict {
  const name = error instanceof Error ? error.constructor.name : '';
  const retryAfterSeconds = retryAfterOf(error) ?? (name === 'AdapterRateLimitError' ? 30 : undefined);
  if (retryAfterSeconds !== undefined)
    return { outcome: 'retry', reason: 'the platform limits the rate', retryAfterSeconds };
  switch (name) {
    case 'AuthenticationError':
      return { outcome: 'retry', reason: 'the platform refuses the credential', isCredentialRefused: true };
    case 'ResourceNotFoundError':
      return { outcome: 'rejected', reason: 'the conversation does not exist on the platform' };
    case 'PermissionError':
      return { outcome: 'rejected', reason: 'the bot may not write in this conversation' };
    case 'ValidationError':
      return { outcome: 'rejected', reason: 'the platform does not accept this message' };
    default:
      return judgeStatus(statusOf(error));
  }
}

/** What an HTTP status of a platform means. */
function judgeStatus(status: number | undefined): Verdict {
  if (status === 401)
    return { outcome: 'retry', reason: 'the platform refuses the credential', isCredentialRefused: true };
  if (status === 429) return { outcome: 'retry', reason: 'the platform limits the rate', retryAfterSeconds: 30 };
  const isRefusal = status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 425;
  return isRefusal
    ? { outcome: 'rejected', reason: `the platform refuses the message: HTTP ${status}` }
    : { outcome: 'retry', reason: 'the platform cannot be reached' };
}

function retryAfterOf(error: unknown): number | undefined {
  const value = error instanceof Error && 'retryAfter' in error ? error.retryAfter : undefined;
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

/** The status that errors of HTTP clients carry under one of two names, some of them as their origin. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value = 'status' in error ? error.status : 'statusCode' in error ? error.statusCode : undefined;
  if (typeof value === 'number') return value;
  return 'originalError' in error ? statusOf(error.originalError) : undefined;
}
