import type { Clock, Ids, Log, Random } from '../../../../base/index.ts';
import type { AppendAudit, QueueWorker } from '../../../../controllers/contract.ts';
import type { HttpRoute } from '../../../../operations/index.ts';
import type { McpOAuth, OAuthSelf } from '../../../../protocols/mcp-oauth/contract.ts';
import type { ValueSeal } from '../../../../resources/index.ts';
import type { SessionLifecycle } from '../../../../runtime/contract.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import type { PeriodicJob } from '../../../module-contract.ts';
import { AccessTokens } from './access-tokens.ts';
import { CALLBACK_PATH, callbackRoutes, DOCUMENT_PATH } from './callback-routes.ts';
import { ClientRegistrations } from './client-registrations.ts';
import { Grants } from './grants.ts';
import { Revocations } from './revocations.ts';
import { signInUpkeep } from './sign-in-upkeep.ts';
import { SignIns } from './sign-ins.ts';
import { waitingTurns } from './waiting-turns.ts';

export interface SignInPartsDeps {
  readonly store: Store;
  readonly seal: ValueSeal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Pick<Random, 'fill'>;
  readonly log: Log;
  readonly audit: AppendAudit;
  readonly oauth: McpOAuth;
  readonly lifecycle: Pick<SessionLifecycle, 'answerPermission'>;
  /** Has due items of the queue noticed at once. */
  readonly wake: () => void;
  /** Where browsers reach this server. */
  readonly baseUrl: () => string;
  readonly version: string;
  readonly requestTimeoutMs: number;
}

export interface SignInParts {
  readonly grants: Grants;
  readonly tokens: AccessTokens;
  readonly signIns: SignIns;
  readonly routes: readonly HttpRoute[];
  readonly workers: readonly QueueWorker[];
  readonly jobs: readonly PeriodicJob[];
  /** Encrypts everything with the newest key. */
  reseal(): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

const UPKEEP_MS = 600_000;

/** Grants, sign-ins, and what runs for them. */
export const signInParts = (deps: SignInPartsDeps): SignInParts => {
  const { store, baseUrl, version } = deps;
  const self = (): OAuthSelf => ({
    redirectUrl: `${baseUrl()}${CALLBACK_PATH}`,
    documentUrl: `${baseUrl()}${DOCUMENT_PATH}`,
    softwareVersion: version,
  });
  const grants = new Grants(deps.seal);
  const registrations = new ClientRegistrations({ ...deps, self });
  const signIns = new SignIns({ ...deps, grants, registrations, self, timeoutMs: deps.requestTimeoutMs });
  const revocations = new Revocations(deps);
  return {
    grants,
    tokens: new AccessTokens({ ...deps, grants, registrations }),
    signIns,
    routes: callbackRoutes({ ...deps, signIns, self }),
    workers: [waitingTurns({ ...deps, grants }), revocations],
    jobs: [{ name: 'mcp-sign-ins', everyMs: UPKEEP_MS, tick: () => signInUpkeep({ store, grants, signIns }) }],
    reseal: async () => {
      for await (const page of grants.all(store.direct))
        for (const { key } of page) await store.write((tx) => grants.reseal(tx, key));
      await registrations.reseal();
    },
    close: () => revocations.close(),
  };
};
