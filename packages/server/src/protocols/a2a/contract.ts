/** The agent-to-agent protocol (A2A 1.0, and 0.3 as a second form) without its library: what serves an agent, and what others see of it. */

export type PeerTaskState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'canceled';

export type PeerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly value: unknown }
  | { readonly kind: 'url'; readonly url: string; readonly mediaType: string; readonly filename: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mediaType: string; readonly filename: string };

/** A message to an agent. */
export interface PeerMessage {
  /** Chosen by the sender; a second message with it is the same one. */
  readonly id: string;
  /** The conversation; '' begins a new one. */
  readonly contextId: string;
  /** The task it belongs to; '' begins a new one. */
  readonly taskId: string;
  readonly parts: readonly PeerPart[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface PeerArtifact {
  readonly id: string;
  readonly parts: readonly PeerPart[];
}

export interface PeerTask {
  readonly id: string;
  readonly contextId: string;
  readonly state: PeerTaskState;
  /** What goes with the state: the question, the error. */
  readonly statusParts: readonly PeerPart[];
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly artifacts: readonly PeerArtifact[];
  /** The message that began the task. */
  readonly request?: { readonly id: string; readonly parts: readonly PeerPart[] };
}

export type PeerTaskEvent =
  | { readonly kind: 'task'; readonly task: PeerTask }
  | { readonly kind: 'status'; readonly task: Omit<PeerTask, 'artifacts'> }
  | {
      readonly kind: 'artifact';
      readonly taskId: string;
      readonly contextId: string;
      readonly artifact: PeerArtifact;
      /** Its parts follow those sent before; else they take their place. */
      readonly isAppended: boolean;
      readonly isLast: boolean;
    };

/** What a card says about an agent. */
export interface PeerCard {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Address of the JSON-RPC endpoint; the one of REST is `/v1` below. */
  readonly url: string;
  readonly isStreaming: boolean;
  readonly hasExtendedCard: boolean;
  /** Whether peers may have states of their tasks sent to an address. */
  readonly hasPushes: boolean;
  /** Whether callers need a bearer token. */
  readonly needsToken: boolean;
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
  readonly skills: readonly {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly tags: readonly string[];
    readonly examples: readonly string[];
    readonly inputModes: readonly string[];
    readonly outputModes: readonly string[];
  }[];
}

/** Where the states of a task are sent. */
export interface PeerPush {
  readonly taskId: string;
  /** Unique in the task; '' = the one that the peer did not name. */
  readonly id: string;
  readonly url: string;
  /** Sent along so that the receiver knows its own task by it; '' = none, also where it is not shown. */
  readonly token: string;
  /** Scheme and credentials of the header Authorization; '' = none. Credentials are never shown. */
  readonly scheme: string;
  readonly credentials: string;
  /** In which version's form the task is sent. */
  readonly form: 'modern' | 'legacy';
}

/** Addresses to which the states of tasks are sent; a task that is not the caller's to see has none: NOT_FOUND. */
export interface PeerPushes {
  /** Takes the place of one with the same id. Answers what is shown of it. */
  set(push: PeerPush): Promise<PeerPush>;
  get(taskId: string, id: string): Promise<PeerPush>;
  /** All of them: a task has few. */
  list(taskId: string): Promise<readonly PeerPush[]>;
  /** Nothing happens where there is none. */
  remove(taskId: string, id: string): Promise<void>;
}

/** One agent as its peers use it, on behalf of one caller. Everything throws Faults; NOT_FOUND where a task is not the caller's to see. */
export interface PeerAgent {
  card(): PeerCard;
  /** The card for signed-in callers. */
  extendedCard(): PeerCard;
  /** The task once it ended, waits for a person, or time is up; at once when `isImmediate`. Its states are sent to `push` as well. */
  send(message: PeerMessage, options: { readonly isImmediate: boolean; readonly push?: PeerPush }): Promise<PeerTask>;
  /** The task, then what happens to it until it ends or waits for a person. */
  stream(message: PeerMessage, push?: PeerPush): AsyncGenerator<PeerTaskEvent, void, undefined>;
  follow(taskId: string): AsyncGenerator<PeerTaskEvent, void, undefined>;
  task(taskId: string): Promise<PeerTask>;
  tasks(filter: {
    readonly contextId: string;
    readonly pageSize: number;
    readonly pageToken: string;
  }): Promise<{ readonly tasks: readonly PeerTask[]; readonly nextPageToken: string }>;
  cancel(taskId: string): Promise<PeerTask>;
  readonly pushes: PeerPushes;
}

/** A request as it came. */
export interface PeerRequest {
  /** Header `A2A-Version`; '' = 0.3. */
  readonly version: string;
  readonly agent: PeerAgent;
}

/** JSON text of an answer, or of the events of a stream. */
export type PeerAnswer =
  | { readonly kind: 'json'; readonly status: number; readonly body: string }
  | { readonly kind: 'stream'; readonly events: AsyncGenerator<string, void, undefined> };

/**
 * Serves agents to peers. NOT_FOUND, INVALID_ARGUMENT and FAILED_PRECONDITION of an agent become errors of the protocol; anything else that
 * an agent throws, calls throw too, and streams in the middle.
 */
export interface PeerServer {
  /** The card as JSON that both versions of the protocol read. */
  card(card: PeerCard): string;
  /** A task as it is sent to the address of a push. */
  pushed(task: PeerTask, form: PeerPush['form']): { readonly body: string; readonly contentType: string };
  jsonRpc(body: string, request: PeerRequest): Promise<PeerAnswer>;
  /** `path`: what follows `/v1/`, decoded, such as `tasks/<id>:cancel`. `body`: '' for none. */
  rest(
    call: {
      readonly method: string;
      readonly path: string;
      readonly query: URLSearchParams;
      readonly body: string;
    },
    request: PeerRequest,
  ): Promise<PeerAnswer>;
}
