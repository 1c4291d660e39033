import type { PeerPart } from './contract.ts';

/** Agents elsewhere, as agents of this server use them: plain types over the client of the library. */

/** How an agent elsewhere is reached. */
export interface PeerTarget {
  readonly cardUrl: string;
  /** Sent as a bearer token to the server of the card, and to no other; '' = none. */
  readonly bearer: string;
  /** The connection is declared where private addresses may be reached. */
  readonly isTrusted: boolean;
}

/** What of a card a sender needs. */
export interface RemoteCard {
  /** Media types; empty = the card names none. */
  readonly inputModes: readonly string[];
}

export type RemoteState = 'working' | 'completed' | 'failed' | 'canceled' | 'input-required' | 'auth-required';

/** A task of an agent elsewhere, or the message that it answered without one. */
export interface RemoteTask {
  /** '' = it answered with a message. */
  readonly id: string;
  readonly contextId: string;
  readonly state: RemoteState;
  /** What goes with the state: the question, the error. */
  readonly statusParts: readonly PeerPart[];
  /** What it answers. */
  readonly parts: readonly PeerPart[];
}

/** A message to an agent elsewhere; a peer that keeps to the protocol takes two with one id for the same. */
export interface RemoteMessage {
  readonly id: string;
  /** '' begins a context. */
  readonly contextId: string;
  /** '' begins a task. */
  readonly taskId: string;
  readonly parts: readonly PeerPart[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Media types that the sender can use. */
  readonly outputModes: readonly string[];
}

/**
 * Why a peer could not be used. `unavailable`: may go better later. `refused`: by the peer, or by the rules for addresses. `malformed`:
 * its answer cannot be read or is too large. `gone`: it knows no such task.
 */
export type PeerFailureKind = 'unavailable' | 'refused' | 'malformed' | 'gone';

/** The text says what happened in words that models may read, without the credential. */
export class PeerFailure extends Error {
  readonly kind: PeerFailureKind;

  constructor(kind: PeerFailureKind, message: string) {
    super(message);
    this.name = 'PeerFailure';
    this.kind = kind;
  }
}

/** Calls agents elsewhere. Every call has a time limit of its own and throws PeerFailure; an abort of `signal` is `unavailable`. */
export interface PeerClient {
  /** Fetched at most once in five minutes. */
  card(target: PeerTarget, signal: AbortSignal): Promise<RemoteCard>;
  /**
   * Sends a message. A peer that streams is listened to for some seconds, others answer at once: the task may still work. `begun` is
   * awaited as soon as the peer has named the task, before anything else is read.
   */
  send(
    target: PeerTarget,
    message: RemoteMessage,
    around: { readonly signal: AbortSignal; readonly begun: (task: RemoteTask) => Promise<void> },
  ): Promise<RemoteTask>;
  task(target: PeerTarget, taskId: string, signal: AbortSignal): Promise<RemoteTask>;
  /** A task that is over or unknown is not a failure. */
  cancel(target: PeerTarget, taskId: string, signal: AbortSignal): Promise<void>;
}
