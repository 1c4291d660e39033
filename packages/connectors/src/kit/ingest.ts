import type { ObjectRef } from '@svc/api/data';
import { ConnectorMessageEventStatus } from '@svc/api/external';
import type { Callbacks } from './callbacks.ts';
import { type ConnectorLog, type InboundEvent, NotTaken } from './contract.ts';
import { eventLimits, eventMessage, sortAttachments } from './event-message.ts';
import type { Registration, Registrations } from './registrations.ts';

interface IngestDependencies {
  readonly registrations: Registrations;
  readonly callbacks: Callbacks;
  readonly log: ConnectorLog;
}

/**
 * Brings events to svc. Events of one conversation are handed over one after the other, because svc orders messages by their
 * arrival and the files of one must not let the next overtake it.
 */
export class Ingest {
  readonly #dependencies: IngestDependencies;
  /** The newest call of each conversation that is busy; it settles when all calls before it have. */
  readonly #newest = new Map<string, Promise<unknown>>();

  constructor(dependencies: IngestDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves when every registration has answered with an outcome; throws NotTaken otherwise. */
  async send(event: InboundEvent): Promise<void> {
    const key = event.conversation;
    const before = this.#newest.get(key) ?? Promise.resolve();
    const sent = before.then(() => this.#sendToAll(event));
    const settled = sent.catch(() => undefined);
    this.#newest.set(key, settled);
    try {
      await sent;
    } finally {
      if (this.#newest.get(key) === settled) this.#newest.delete(key);
    }
  }

  async #sendToAll(event: InboundEvent): Promise<void> {
    const registrations = this.#dependencies.registrations.all();
    if (registrations.length === 0) throw new NotTaken('no svc has registered here yet');
    const { taken, leftOut } = sortAttachments(event.attachments);
    const files = await Promise.all(taken.map(async (file) => ({ file, bytes: bytesOf(await file.read()) })));
    const fitting = files.filter(({ bytes }) => bytes.length <= eventLimits.attachmentBytes);
    const tooLarge = files.filter((file) => !fitting.includes(file)).map(({ file }) => file.filename);
    const results = await Promise.allSettled(
      registrations.map((registration) =>
        this.#sendTo(registration, event, { files: fitting, leftOut: [...leftOut, ...tooLarge] }),
      ),
    );
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  async #sendTo(
    registration: Registration,
    event: InboundEvent,
    attached: { readonly files: readonly LoadedFile[]; readonly leftOut: readonly string[] },
  ): Promise<void> {
    const { callbacks, log } = this.#dependencies;
    const objects: ObjectRef[] = [];
    for (const { file, bytes } of attached.files) objects.push(await callbacks.upload(registration, file, bytes));
    const message = eventMessage(event, registration, { objects, leftOut: attached.leftOut });
    const outcome = await callbacks.ingest(registration, message);
    log.info('event handed to svc', {
      event: message.eventId,
      registration: registration.id,
      outcome: ConnectorMessageEventStatus[outcome],
    });
  }
}

interface LoadedFile {
  readonly file: InboundEvent['attachments'][number];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const bytesOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);
