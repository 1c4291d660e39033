import type { Adapter, FileUpload } from 'chat';
import { type Delivery, DeliveryFailure } from '../kit/index.ts';
import { buttonForm, questionCard } from './buttons.ts';
import type { ButtonForm, ChatConnector, Verdict } from './chat-connector.ts';
import { splitText } from './split-text.ts';

/**
 * Writes a reply by an adapter: its text in as many messages as the platform needs, its files or buttons with the last of them. In mode `thread`
 * svc names the message that is answered as the thread; where the platform has no such thread, the reply goes to the conversation.
 */
export async function postReply(connector: ChatConnector, adapter: Adapter, delivery: Delivery): Promise<void> {
  const post = async (
    threadId: string,
    message: Parameters<Adapter['postMessage']>[1],
  ): Promise<Verdict | undefined> => {
    try {
      await adapter.postMessage(threadId, message);
      return undefined;
    } catch (error) {
      return { ...(connector.judge?.(error) ?? judge(error)), cause: error };
    }
  };
  const mayHaveNoThread = delivery.thread !== undefined && delivery.thread === delivery.replyTo;
  let threadId = connector.threadOf(adapter, delivery);
  const form = buttonForm(connector, delivery);
  const texts = splitText(
    delivery.text,
    Math.min(connector.maxTextLength, form?.textLength ?? Number.MAX_SAFE_INTEGER),
  );
  for (const [index, markdown] of texts.entries()) {
    if (index < delivery.partsSent) continue;
    const message = index === texts.length - 1 ? lastMessage(form, delivery, markdown) : { markdown };
    let failure = await post(threadId, message);
    if (failure?.isMissing === true && mayHaveNoThread) {
      threadId = connector.threadOf(adapter, { ...delivery, thread: undefined });
      failure = await post(threadId, message);
    }
    if (failure !== undefined) throw failureOf(failure);
    delivery.onPartSent();
  }
}

function lastMessage(form: ButtonForm | undefined, delivery: Delivery, markdown: string) {
  const files = delivery.files.map(fileOf);
  const message = (form === undefined ? undefined : questionCard(form, delivery, markdown)) ?? { markdown };
  return files.length === 0 ? message : { ...message, files };
}

const fileOf = ({ bytes, filename, mediaType }: Delivery['files'][number]): FileUpload => ({
  data: Buffer.from(bytes),
  filename,
  mimeType: mediaType,
});

const failureOf = ({
  outcome,
  reason,
  retryAfterSeconds,
  isCredentialRefused = false,
  cause,
}: Verdict): DeliveryFailure => new DeliveryFailure(outcome, reason, { retryAfterSeconds, isCredentialRefused, cause });

/** Codes of the errors that all adapters share, by class names: the package with the classes is as optional as the adapters. */
const codes: Readonly<Record<string, string>> = {
  AdapterRateLimitError: 'RATE_LIMITED',
  AuthenticationError: 'AUTH_FAILED',
  PermissionError: 'PERMISSION_DENIED',
  ResourceNotFoundError: 'NOT_FOUND',
  ValidationError: 'VALIDATION_ERROR',
};

/** What an error means for all adapters. A code says more than the status: some platforms limit the rate with 400. */
export function judge(error: unknown): Verdict {
  const code = codeOf(error);
  const retryAfterSeconds = retryAfterOf(error) ?? (code === 'RATE_LIMITED' ? 30 : undefined);
  if (retryAfterSeconds !== undefined)
    return { outcome: 'retry', reason: 'the platform limits the rate', retryAfterSeconds };
  switch (code) {
    case 'AUTH_FAILED':
      return { outcome: 'retry', reason: 'the platform refuses the credential', isCredentialRefused: true };
    case 'NOT_FOUND':
      return missing;
    case 'PERMISSION_DENIED':
      return { outcome: 'rejected', reason: 'the bot may not write in this conversation' };
    case 'VALIDATION_ERROR':
      return { outcome: 'rejected', reason: 'the platform does not accept this message' };
    default:
      return judgeStatus(statusOf(error));
  }
}

const missing: Verdict = {
  outcome: 'rejected',
  reason: 'the conversation does not exist on the platform',
  isMissing: true,
};

/** What an HTTP status of a platform means. */
function judgeStatus(status: number | undefined): Verdict {
  if (status === 404) return missing;
  if (status === 401)
    return { outcome: 'retry', reason: 'the platform refuses the credential', isCredentialRefused: true };
  if (status === 429) return { outcome: 'retry', reason: 'the platform limits the rate', retryAfterSeconds: 30 };
  const isRefusal = status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 425;
  return isRefusal
    ? { outcome: 'rejected', reason: `the platform refuses the message: HTTP ${status}` }
    : { outcome: 'retry', reason: 'the platform cannot be reached' };
}

function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return codes[error.constructor.name] ?? ('code' in error ? error.code : undefined);
}

/** Seconds that an error says to wait; undefined when it does not say. */
export function retryAfterOf(error: unknown): number | undefined {
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
