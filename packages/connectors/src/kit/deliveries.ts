import { createHash } from 'node:crypto';
import type { ConnectorDeliveryRequest } from '@svc/api/external';
import { type ConnectorLog, type Delivery, DeliveryFailure, type OutboundFile, type Platform } from './contract.ts';

/** How many deliveries that were done are remembered, so that a repeated one is answered `duplicate`. */
const REMEMBERED_DELIVERIES = 10_000;
/** The newest deliveries that have sent some of their parts. */
const REMEMBERED_PROGRESS = 1_000;
const FILE_LIMIT_BYTES = 25 * 1024 * 1024;
const FILE_TIMEOUT_MS = 10_000;

/** What became of one attempt. */
export type DeliveryResult =
  | { readonly disposition: 'accepted' | 'duplicate' }
  | { readonly disposition: 'rejected'; readonly error: string }
  | {
      readonly disposition: 'retry';
      readonly error: string;
      readonly retryAfterSeconds: number | undefined;
      readonly isCredentialRefused: boolean;
    };

interface DeliveryDependencies {
  readonly platform: Platform;
  readonly fetch: typeof globalThis.fetch;
  readonly log: ConnectorLog;
}

/**
 * Hands replies to the platform. svc sends a delivery again when it saw no answer; attempts of one delivery that overlap share the work, and one
 * that was done is not done twice for as long as this process remembers it. A person may edit a reply and have it delivered again under its id: all
 * memory is of an id with its content.
 */
export class Deliveries {
  readonly #dependencies: DeliveryDependencies;
  readonly #running = new Map<string, Promise<DeliveryResult>>();
  readonly #done = new Set<string>();
  readonly #partsSent = new Map<string, number>();

  constructor(dependencies: DeliveryDependencies) {
    this.#dependencies = dependencies;
  }

  /** Never throws: what fails unexpectedly is logged and to be tried again. */
  async deliver(request: ConnectorDeliveryRequest): Promise<DeliveryResult> {
    const key = contentKey(request);
    if (this.#done.has(key)) return { disposition: 'duplicate' };
    const running = this.#running.get(key) ?? this.#attempt(request, key);
    this.#running.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#running.get(key) === running) this.#running.delete(key);
    }
  }

  async #attempt(request: ConnectorDeliveryRequest, key: string): Promise<DeliveryResult> {
    try {
      const files = await Promise.all(request.attachments.map((object) => this.#download(object)));
      await this.#dependencies.platform.deliver(this.#deliveryOf(request, files, key));
    } catch (error) {
      return this.#resultOf(error, request.deliveryId);
    }
    this.#partsSent.delete(key);
    this.#done.add(key);
    forgetOldest(this.#done, REMEMBERED_DELIVERIES);
    return { disposition: 'accepted' };
  }

  #deliveryOf(request: ConnectorDeliveryRequest, files: readonly OutboundFile[], key: string): Delivery {
    return {
      id: request.deliveryId,
      conversation: request.externalConversationId,
      thread: request.externalThreadId,
      replyTo: request.replyToExternalMessageId,
      matchFields: request.matchFields,
      text: request.text,
      files,
      options: optionsIn(request.labels['svc.requestOptions']),
      partsSent: this.#partsSent.get(key) ?? 0,
      onPartSent: () => {
        this.#partsSent.set(key, (this.#partsSent.get(key) ?? 0) + 1);
        forgetOldest(this.#partsSent, REMEMBERED_PROGRESS);
      },
    };
  }

  #resultOf(error: unknown, id: string): DeliveryResult {
    const failure = error instanceof DeliveryFailure ? error : undefined;
    const text = failure?.message ?? 'the platform cannot be reached';
    this.#dependencies.log.warn('delivery failed', { delivery: id, outcome: failure?.outcome ?? 'retry', error });
    if (failure?.outcome === 'rejected') return { disposition: 'rejected', error: text };
    return {
      disposition: 'retry',
      error: text,
      retryAfterSeconds: failure?.retryAfterSeconds,
      isCredentialRefused: failure?.isCredentialRefused ?? false,
    };
  }

  /** Reads a file by the signed address that svc put into its metadata. */
  async #download(object: ConnectorDeliveryRequest['attachments'][number]): Promise<OutboundFile> {
    const url = object.metadata['download_url'];
    if (url === undefined) throw new DeliveryFailure('rejected', `attachment ${object.filename} has no download_url`);
    const response = await this.#dependencies.fetch(url, { signal: AbortSignal.timeout(FILE_TIMEOUT_MS) });
    if (!response.ok) throw new DeliveryFailure('retry', `attachment ${object.filename}: HTTP ${response.status}`);
    const bytes = await readBounded(response, object.filename);
    if (object.sha256 !== '' && createHash('sha256').update(bytes).digest('hex') !== object.sha256)
      throw new DeliveryFailure('retry', `attachment ${object.filename} arrived damaged`);
    return { filename: object.filename || 'file', mediaType: object.mediaType || 'application/octet-stream', bytes };
  }
}

/** The options of a question, a JSON list of texts; a later svc may write something else, which has no buttons here. */
function optionsIn(label: string | undefined): readonly string[] {
  if (label === undefined) return [];
  try {
    const list: unknown = JSON.parse(label);
    return Array.isArray(list) && list.every((option) => typeof option === 'string') ? list : [];
  } catch {
    return [];
  }
}

/** The same for every attempt of a delivery; the addresses of its files differ between attempts. */
function contentKey({ deliveryId, text, attachments }: ConnectorDeliveryRequest): string {
  const content = JSON.stringify([text, attachments.map(({ key, sha256, filename }) => [key, sha256, filename])]);
  return `${deliveryId} ${createHash('sha256').update(content).digest('hex')}`;
}

async function readBounded(response: Response, filename: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > FILE_LIMIT_BYTES) throw new DeliveryFailure('rejected', `attachment ${filename} is larger than 25 MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Sets and maps keep their entries in the order in which they came. */
function forgetOldest(entries: Set<string> | Map<string, unknown>, limit: number): void {
  const [oldest] = entries.keys();
  if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
}
