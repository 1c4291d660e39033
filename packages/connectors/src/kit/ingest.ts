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
  readonly #queues = new Map<string, Queue>();

  constructor(dependencies: IngestDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves when every registration has answered with an outcome: true where one has accepted the event. Throws NotTaken otherwise. */
  async send(event: InboundEvent): Promise<boolean> {
    const key = event.conversation;
    const queue = this.#queues.get(key) ?? { newest: Promise.resolve(), length: 0 };
    if (queue.length >= MAX_QUEUE) throw new NotTaken(`${MAX_QUEUE} events of this conversation wait for svc already`);
    const sent = queue.newest.then(() => this.#sendToAll(event));
    queue.newest = sent.catch(() => undefined);
    queue.length += 1;
    this.#queues.set(key, queue);
    try {
      return await sent;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) this.#queues.delete(key);
    }
  }

  async #sendToAll(event: InboundEvent): Promise<boolean> {
    const registrations = this.#dependencies.registrations.all();
    if (registrations.length === 0) throw new NotTaken('no svc has registered here yet');
    const { taken, leftOut } = sortAttachments(event.attachments);
    const files = await Promise.all(taken.map(async (file) => ({ file, bytes: await file.read() })));
    const fitting = files.flatMap(({ file, bytes }) =>
      bytes === undefined || bytes.length > eventLimits.attachmentBytes ? [] : [{ file, bytes: new Uint8Array(bytes) }],
    );
    const refused = taken.filter((file) => !fitting.some((each) => each.file === file));
    const names = [...leftOut, ...refused.map(({ filename }) => filename)];
    const results = await Promise.allSettled(
      registrations.map((registration) => this.#sendTo(registration, event, { files: fitting, leftOut: names })),
    );
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    return results.some((result) => result.status === 'fulfilled' && result.value);
  }

  async #sendTo(
    registration: Registration,
    event: InboundEvent,
    attached: { readonly files: readonly LoadedFile[]; readonly leftOut: readonly string[] },
  ): Promise<boolean> {
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
    return outcome === ConnectorMessageEventStatus.ACCEPTED || outcome === ConnectorMessageEventStatus.DUPLICATE;
  }
}

/** Platforms send copies of what has no answer yet; more than this is not kept. */
const MAX_QUEUE = 1_000;

/** The events of a conversation that svc has not answered yet. */
interface Queue {
  /** Settles when all of them have. */
  newest: Promise<unknown>;
  length: number;
}

interface LoadedFile {
  readonly file: InboundEvent['attachments'][number];
  readonly bytes: Uint8Array<ArrayBuffer>;
}
