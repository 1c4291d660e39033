import { BackgroundWork, isFault, type Log } from '../../../base/index.ts';
import { isPassing, type QueueWorker, type ReconcileOutcome, type WorkItem } from '../../../controllers/contract.ts';
import {
  type PeerClient,
  PeerFailure,
  type PeerTarget,
  type RemoteTask,
} from '../../../protocols/a2a/client-contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import { MAX_WAIT_SECONDS, waitSeconds } from './delegation-rules.ts';
import { type ErrandSender, PEER_ERRAND, type PeerErrand } from './peer-errands.ts';
import { fileParts, type PeerFilesDeps } from './peer-files.ts';
import type { PeerRecords } from './peer-records.ts';
import { nextDelayMs, type RemoteFile, remoteReply, workState } from './remote-rules.ts';

const MICROS = 1_000_000;
/** Errands under way in this process: a slow agent keeps none of the others waiting. */
const MAX_AT_ONCE = 64;
/** When another process may take an errand over; longer than any request takes. */
const HOLD_MS = 60_000;
const BUSY_MS = 1_000;
/** How soon a message is tried again that waits for an earlier one. */
const LATER_MS = 500;
/** Tasks of agents of this namespace may be at private addresses. */
const TRUSTED_NAMESPACE = 'system';

const LATE = 'it did not finish within a day';

/** Keeps what an agent elsewhere sent as an artifact of the session, once for each key; answers its URI. Throws TOO_LARGE and the like. */
export type KeepArtifact = (sender: ErrandSender, file: RemoteFile & { readonly key: string }) => Promise<string>;

/** The value behind a reference; throws a Fault that names no value. */
export type ReadSecret = (namespace: string, reference: string) => Promise<string>;

export interface PeerCourierDeps extends PeerFilesDeps {
  readonly client: PeerClient;
  readonly records: PeerRecords;
  readonly store: Pick<Store, 'steadyNow'>;
  readonly secret: ReadSecret;
  readonly keepArtifact: KeepArtifact;
  readonly log: Log;
}

/** How an agent elsewhere is reached from a namespace. */
export const peerTarget = async (
  secret: ReadSecret,
  namespace: string,
  place: { readonly cardUrl: string; readonly secretRef: string },
): Promise<PeerTarget> => ({
  cardUrl: place.cardUrl,
  bearer: place.secretRef === '' ? '' : await secret(namespace, place.secretRef),
  isTrusted: namespace === TRUSTED_NAMESPACE,
});

interface Sending {
  readonly errand: PeerErrand;
  readonly contextId: string;
  readonly signal: AbortSignal;
  /** Gets the errand as it is stored once the agent has named its task. */
  readonly noted: (errand: PeerErrand) => void;
}

/**
 * Carries messages to agents elsewhere, asks for their tasks and calls these off. An item of the queue holds the errand until it is
 * done; the requests run next to the queue, so that a slow agent holds up its own conversation only. A process that dies leaves the
 * item, and another one continues with the same message and the same task.
 */
export class PeerCourier implements QueueWorker {
  readonly kinds = [PEER_ERRAND];
  readonly #deps: PeerCourierDeps;
  readonly #errands: BackgroundWork;
  /** Those whose agent has named its task: what is being done may be cut short without losing it. */
  readonly #begun = new Set<string>();

  constructor(deps: PeerCourierDeps) {
    this.#deps = deps;
    this.#errands = new BackgroundWork({
      max: MAX_AT_ONCE,
      // The item is still there and becomes due again.
      failed: (error) => deps.log.warn('a message to an agent elsewhere was not sent', { reason: String(error) }),
    });
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    if (this.#errands.has(item.key)) {
      // The item was replaced meanwhile: the work is no longer wanted, or something else is due.
      if (this.#begun.has(item.key)) this.#errands.end(item.key);
      return { againMs: BUSY_MS };
    }
    const errand = JSON.parse(item.payload) as PeerErrand;
    const isStarted = this.#errands.start(item.key, ({ signal }) => this.#run(errand, signal));
    return { againMs: isStarted ? HOLD_MS : BUSY_MS };
  }

  /** Resolves once nothing is under way any more. */
  settled(): Promise<void> {
    return this.#errands.settled();
  }

  /** Ends what is under way; the queue still holds it. */
  close(): Promise<void> {
    return this.#errands.close();
  }

  async #run(errand: PeerErrand, signal: AbortSignal): Promise<void> {
    const { messageId, taskId } = errand;
    if (taskId !== '') this.#begun.add(messageId);
    try {
      await this.#carry(errand, signal);
    } finally {
      this.#begun.delete(messageId);
    }
  }

  async #carry(errand: PeerErrand, signal: AbortSignal): Promise<void> {
    const { records } = this.#deps;
    const step = await records.step(errand);
    if (step.do === 'later') return records.again(errand, LATER_MS);
    if (step.do === 'cancel') return this.#cancel(errand, signal);
    let current = errand;
    try {
      const target = await peerTarget(this.#deps.secret, errand.sender.namespace, errand.place);
      if (step.do === 'ask') return await this.#report(errand, await this.#asked(target, errand, signal));
      const noted = (begun: PeerErrand): void => {
        current = begun;
      };
      const task = await this.#send(target, { errand, contextId: step.contextId, signal, noted });
      return await this.#report(current, task);
    } catch (error) {
      return this.#failed(current, error);
    }
  }

  #asked(target: PeerTarget, { taskId }: PeerErrand, signal: AbortSignal): Promise<RemoteTask> {
    return this.#deps.client.task(target, taskId, signal);
  }

  async #send(target: PeerTarget, { errand, contextId, signal, noted }: Sending): Promise<RemoteTask> {
    const { client, records } = this.#deps;
    const { messageId: id, place, message } = errand;
    const { taskId = '', files = [], metadata = {} } = message ?? {};
    const parts = [...(message?.parts ?? []), ...(await fileParts(this.#deps, errand.sender.namespace, files))];
    const begun = async (task: RemoteTask): Promise<void> => {
      // A message in place of a task is the whole answer.
      if (task.id === '') return;
      // Another process may ask for the task once this one has had its time.
      noted(await records.begun(errand, task, HOLD_MS));
      this.#begun.add(id);
    };
    const sent = { id, contextId, taskId, parts, metadata, outputModes: place.outputModes };
    return client.send(target, sent, { signal, begun });
  }

  /** What the agent showed: its task still works, or has come to something. */
  async #report(errand: PeerErrand, task: RemoteTask): Promise<void> {
    const { records, store } = this.#deps;
    const state = workState(task.state);
    if (state === 'open') {
      if (store.steadyNow() - errand.since > MAX_WAIT_SECONDS * MICROS)
        return records.settled(errand, { outcome: { state: 'failed', text: LATE }, calledOff: true });
      const delayMs = nextDelayMs(errand.delayMs === HOLD_MS ? 0 : errand.delayMs);
      return records.again({ ...errand, failingSince: 0, delayMs }, delayMs);
    }
    const { text, files } = remoteReply(task, errand.place.outputModes);
    const kept: string[] = [];
    for (const [index, file] of files.entries()) kept.push(await this.#kept(errand, file, index));
    const whole = [text, ...kept].filter((line) => line !== '').join('\n');
    return records.settled(errand, { outcome: { state, text: whole }, task });
  }

  async #kept({ sender, messageId }: PeerErrand, file: RemoteFile, index: number): Promise<string> {
    const { mediaType, filename, content } = file;
    const named = `${filename} (${mediaType}, ${content.length} bytes)`;
    try {
      return `${named}: ${await this.#deps.keepArtifact(sender, { ...file, key: `${messageId}/${index}` })}`;
    } catch (error) {
      if (!isFault(error) || isPassing(error)) throw error;
      return `${named} could not be kept: ${error.message}`;
    }
  }

  /** Out of reach: tried again as long as the connection waits for answers. Everything else is the end of the work. */
  async #failed(errand: PeerErrand, error: unknown): Promise<void> {
    const { records, store } = this.#deps;
    if (!(error instanceof PeerFailure)) {
      if (!isFault(error) || error.reason !== 'SECRET_NOT_FOUND') throw error;
      return records.settled(errand, { outcome: { state: 'failed', text: 'its credential cannot be read' } });
    }
    // A process that closes leaves the errand to the next one.
    if (this.#errands.isClosed) return records.again(errand, 0);
    const failingSince = errand.failingSince || store.steadyNow();
    const patience = waitSeconds(0, errand.place.timeoutSeconds) * MICROS;
    if (error.kind === 'unavailable' && store.steadyNow() - failingSince < patience) {
      const delayMs = nextDelayMs(errand.delayMs === HOLD_MS ? 0 : errand.delayMs);
      return records.again({ ...errand, failingSince, delayMs }, delayMs);
    }
    const losesContext = error.kind === 'gone' && errand.message !== undefined;
    return records.settled(errand, { outcome: { state: 'failed', text: error.message }, losesContext });
  }

  /** Cancels the task, as long as the agent can be reached. */
  async #cancel(errand: PeerErrand, signal: AbortSignal): Promise<void> {
    const { client, records, secret, store } = this.#deps;
    if (errand.taskId === '') return records.closed(errand);
    try {
      const target = await peerTarget(secret, errand.sender.namespace, errand.place);
      await client.cancel(target, errand.taskId, signal);
    } catch (error) {
      if (!(error instanceof PeerFailure) && !isFault(error)) throw error;
      const failingSince = errand.failingSince || store.steadyNow();
      const patience = waitSeconds(0, errand.place.timeoutSeconds) * MICROS;
      const mayGoBetter = error instanceof PeerFailure && error.kind === 'unavailable';
      if (mayGoBetter && store.steadyNow() - failingSince < patience) {
        const delayMs = nextDelayMs(errand.delayMs);
        return records.again({ ...errand, failingSince, delayMs }, delayMs);
      }
    }
    return records.closed(errand);
  }
}
