import type { AgentCard, StreamResponse } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { A2AError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { BoundedCache, type Clock } from '../../base/index.ts';
import {
  type PeerClient,
  PeerFailure,
  type PeerTarget,
  type RemoteCard,
  type RemoteMessage,
  type RemoteTask,
} from './client-contract.ts';
import { type CallNotes, limitedFetch, type PeerFetch } from './limited-fetch.ts';
import { remoteReply, remoteStatus, remoteTask, sendRequest } from './remote-forms.ts';

const CARD_MS = 300_000;
const CARDS_MAX = 200;
const CARD_BYTES_MAX = 256 * 1024;
/** Time for one request and its whole answer, that of the card included where it is not known. */
const REQUEST_MS = 20_000;
/** How long a stream is listened to; then the task is asked for from time to time. */
const LISTEN_MS = 15_000;
/** Longest text of a peer's error that is passed on. */
const ERROR_CHARS = 500;

export interface PeerClientDeps {
  /** Requests under the rules for addresses; those of a trusted target reach private ones. */
  readonly fetch: (isTrusted: boolean) => PeerFetch;
  readonly clock: Clock;
}

/** One call: what it may use, and what its requests found wrong. */
interface Call {
  readonly target: PeerTarget;
  readonly signal: AbortSignal;
  readonly notes: CallNotes;
  readonly fetchImpl: typeof fetch;
}

/** Calls agents elsewhere with the official library, in version 1.0 or 0.3, over JSON-RPC or REST as their card says. */
class LibraryClient implements PeerClient {
  readonly #deps: PeerClientDeps;
  readonly #cards = new BoundedCache<string, { readonly card: AgentCard; readonly untilMs: number }>(CARDS_MAX);

  constructor(deps: PeerClientDeps) {
    this.#deps = deps;
  }

  async card(target: PeerTarget, signal: AbortSignal): Promise<RemoteCard> {
    return this.#within(target, signal, async (call) => {
      const { defaultInputModes } = await this.#card(call);
      return { inputModes: textsOf(defaultInputModes) };
    });
  }

  send(target: PeerTarget, message: RemoteMessage, around: Parameters<PeerClient['send']>[2]): Promise<RemoteTask> {
    return this.#within(target, around.signal, async (call) => {
      const begun = async (task: RemoteTask): Promise<void> => {
        try {
          await around.begun(task);
        } catch (error) {
          call.notes.thrown = error;
          throw error;
        }
      };
      const card = await this.#card(call);
      const client = await connected(card, call);
      const request = sendRequest(message);
      if (card.capabilities?.streaming === true)
        return this.#listen(call, client, { begun, begin: (options) => client.sendMessageStream(request, options) });
      const sent = await client.sendMessage(request);
      const task = 'messageId' in sent ? remoteReply(sent) : requireNamed(remoteTask(sent));
      await begun(task);
      return task;
    });
  }

  task(target: PeerTarget, taskId: string, signal: AbortSignal): Promise<RemoteTask> {
    return this.#within(target, signal, async (call) => wholeTask(await this.#client(call), taskId));
  }

  cancel(target: PeerTarget, taskId: string, signal: AbortSignal): Promise<void> {
    return this.#within(target, signal, async (call) => {
      const client = await this.#client(call);
      try {
        await client.cancelTask({ tenant: '', id: taskId, metadata: undefined });
      } catch (error) {
        // The peer was reached and has no such task, or none that can still be cancelled.
        if (call.notes.failure !== undefined || !(error instanceof A2AError)) throw error;
      }
    });
  }

  async #client(call: Call): Promise<Client> {
    return connected(await this.#card(call), call);
  }

  async #card({ target, signal, notes }: Call): Promise<AgentCard> {
    const { clock, fetch } = this.#deps;
    const key = `${target.isTrusted} ${target.cardUrl}`;
    const known = this.#cards.get(key);
    if (known !== undefined && known.untilMs > clock.monotonicMs()) return known.card;
    const limits = { origin: '', bearer: '', signal, bytes: CARD_BYTES_MAX };
    const fetchImpl = limitedFetch(fetch(target.isTrusted), limits, notes) as typeof globalThis.fetch;
    const resolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat: { enabled: true } });
    const card = await resolver.resolve(target.cardUrl, '');
    if (card.supportedInterfaces.length === 0) throw new PeerFailure('malformed', 'its card names no address');
    this.#cards.set(key, { card, untilMs: clock.monotonicMs() + CARD_MS });
    return card;
  }

  /** Hears of a task until it is settled or time is up, then asks for all of it. Once the task is known, the end of the stream is not a failure. */
  async #listen(
    call: Call,
    client: Client,
    stream: {
      readonly begun: (task: RemoteTask) => Promise<void>;
      readonly begin: (options: { readonly signal: AbortSignal }) => AsyncGenerator<StreamResponse, void, undefined>;
    },
  ): Promise<RemoteTask> {
    let latest: RemoteTask | undefined;
    const control = new AbortController();
    const cancel = this.#deps.clock.after(LISTEN_MS, () => control.abort());
    try {
      for await (const event of stream.begin({ signal: AbortSignal.any([control.signal, call.signal]) })) {
        const heard = heardOf(event);
        if (heard === undefined) continue;
        if (latest === undefined) await stream.begun(heard);
        latest = heard;
        if (heard.state !== 'working') break;
      }
    } catch (error) {
      if (latest === undefined) throw error;
    } finally {
      cancel();
      control.abort();
    }
    if (latest === undefined) throw new PeerFailure('malformed', 'its stream named no task');
    delete call.notes.failure;
    return latest.id === '' || latest.state === 'working' ? latest : wholeTask(client, latest.id);
  }

  /** One call within its time; throws PeerFailure whatever went wrong at the peer. */
  async #within<T>(target: PeerTarget, signal: AbortSignal, work: (call: Call) => Promise<T>): Promise<T> {
    const { clock, fetch } = this.#deps;
    const late = new AbortController();
    const cancel = clock.after(REQUEST_MS, () => late.abort());
    const notes: CallNotes = {};
    const all = AbortSignal.any([signal, late.signal]);
    const limits = { origin: new URL(target.cardUrl).origin, bearer: target.bearer, signal: all };
    const fetchImpl = limitedFetch(fetch(target.isTrusted), limits, notes) as typeof globalThis.fetch;
    try {
      return await work({ target, signal: all, notes, fetchImpl });
    } catch (error) {
      throw failureOf(error, notes, target);
    } finally {
      cancel();
    }
  }
}

/** The library checks no card: what should be a list of texts may be absent or anything else. */
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** Calls agents elsewhere. */
export const createPeerClient = (deps: PeerClientDeps): PeerClient => new LibraryClient(deps);

const connected = (card: AgentCard, { fetchImpl }: Call): Promise<Client> => {
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
  return new ClientFactory({ transports, clientConfig: { polling: true } }).createFromAgentCard(card);
};

const wholeTask = async (client: Client, id: string): Promise<RemoteTask> =>
  requireNamed(remoteTask(await client.getTask({ tenant: '', id, historyLength: 0 })));

/** The library makes a task without a name of an answer that is none. */
const requireNamed = (task: RemoteTask): RemoteTask => {
  if (task.id === '') throw new PeerFailure('malformed', 'it named no task');
  return task;
};

/** What an event says of the task. Its artifacts, which events bring in parts, are asked for at the end. */
const heardOf = ({ payload }: StreamResponse): RemoteTask | undefined => {
  if (payload?.$case === 'task') return requireNamed(remoteTask(payload.value));
  if (payload?.$case === 'statusUpdate') return requireNamed(remoteStatus(payload.value, payload.value.status));
  return payload?.$case === 'message' ? remoteReply(payload.value) : undefined;
};

const failureOf = (error: unknown, { failure, thrown }: CallNotes, { bearer }: PeerTarget): unknown => {
  if (thrown !== undefined) return thrown;
  if (failure !== undefined) return failure;
  if (error instanceof PeerFailure) return error;
  if (error instanceof TaskNotFoundError) return new PeerFailure('gone', 'it knows no such task');
  if (!(error instanceof A2AError)) return new PeerFailure('malformed', 'its answer is not of the protocol');
  const text = bearer === '' ? error.message : error.message.replaceAll(bearer, '[credential]');
  return new PeerFailure('refused', `it answered: ${text.slice(0, ERROR_CHARS)}`);
};
