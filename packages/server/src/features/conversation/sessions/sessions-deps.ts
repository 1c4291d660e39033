import type { Authorizer } from '../../../auth/contract.ts';
import type { Clock, Ids, Random } from '../../../base/index.ts';
import type { AppendAudit } from '../../../controllers/contract.ts';
import type { ResourceViews } from '../../../resources/index.ts';
import type {
  Admission,
  AgentDirectory,
  NamespaceGate,
  ObjectAccess,
  PromptCheck,
  SessionLifecycle,
  StepInspector,
} from '../../../runtime/contract.ts';
import type { AnswerCursors, SessionStreams } from '../../../runtime/stream/stream-contract.ts';
import type { Bus, MessageRow, ReadTx, SessionRow, Store, WriteTx } from '../../../store/contracts/index.ts';
import type { MessageMessages } from './wire/index.ts';

/** Configured limits that this feature checks; sizes in bytes, times in seconds. */
export interface SessionLimits {
  readonly messageBytes: number;
  readonly responseBytes: number;
  readonly labels: number;
  readonly batchSessions: number;
  readonly waitSeconds: number;
  readonly idempotencyHours: number;
  /** Bytes of decoded messages kept for lists. */
  readonly messageCacheBytes: number;
}

/**
 * A body fetched for a namespace from a public address, never from a private network; throws Fault INVALID_ARGUMENT when
 * refused or too large.
 */
export interface UrlFetcher {
  fetch(
    namespace: string,
    url: string,
    options: { readonly limitBytes: number; readonly signal: AbortSignal },
  ): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string }>;
}

/** Descendants of a namespace, nearest first, without itself. */
interface NamespaceTree {
  descendants(tx: Pick<ReadTx, 'resources'>, namespace: string): Promise<readonly string[]>;
}

/** What assistant messages have to do with messaging platforms; the caller holds the session and stores the message. */
interface DeliveryGate {
  /**
   * Moves the delivery of an assistant message, which is sent as it is given here. Labels of the message afterwards; throws
   * INVALID_ARGUMENT DELIVERY_STATUS for a change that is not allowed.
   */
  setStatus(
    tx: WriteTx,
    target: { readonly session: SessionRow; readonly message: MessageRow; readonly status: string },
  ): Promise<Readonly<Record<string, string>>>;
  /** Delivers an assistant message that was appended, where the session talks to a platform. Labels of the message afterwards. */
  appended(
    tx: WriteTx,
    target: { readonly session: SessionRow; readonly message: MessageRow },
  ): Promise<Readonly<Record<string, string>>>;
}

/** What addresses are made with at which a request is answered without signing in. */
interface AnswerLinkSettings {
  /** `requests.links`. */
  readonly isOn: boolean;
  readonly random: Random;
  /** Where people reach the server, without a trailing slash. */
  readonly baseUrl: () => string;
}

/** What has to be known of a model that a session runs in place of its agent's. */
export interface OverridingModels {
  readonly defaultTarget: { readonly provider: string };
  /** False for a provider that the configuration does not name. */
  hasProvider(provider: string): boolean;
  /** Names of the configured providers. */
  readonly providerNames: readonly string[];
}

/** Everything app hands to this feature. */
export interface SessionsDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly admission: Admission;
  readonly lifecycle: SessionLifecycle;
  readonly streams: SessionStreams;
  readonly cursors: AnswerCursors;
  readonly steps: StepInspector;
  readonly models: OverridingModels;
  readonly promptCheck: PromptCheck;
  readonly agents: AgentDirectory;
  readonly namespaces: NamespaceGate & NamespaceTree;
  readonly objects: ObjectAccess;
  readonly fetcher: UrlFetcher;
  readonly authorizer: Pick<Authorizer, 'allows'>;
  readonly audit: AppendAudit;
  readonly views: ResourceViews;
  readonly limits: SessionLimits;
  readonly links: AnswerLinkSettings;
  readonly deliveries: DeliveryGate;
}

/** What the services of this folder share in addition to the deps: caches of messages. */
export interface SessionsContext extends SessionsDeps {
  readonly messages: MessageMessages;
}
