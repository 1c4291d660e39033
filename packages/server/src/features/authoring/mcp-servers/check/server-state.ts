import type { McpServerFacts, McpTool } from '../../../../protocols/mcp/contract.ts';
import {
  type ConnectionPool,
  type ListOutcome,
  type ServerLookup,
  type ServerUse,
  type SignInToolsDeps,
  signInPort,
  type WantedServer,
} from '../connections/index.ts';
import { type FailureReason, reasonOf } from '../known-state.ts';

export interface ServerStateDeps extends SignInToolsDeps {
  readonly lookup: Pick<ServerLookup, 'find'>;
  readonly pool: Pick<ConnectionPool, 'slot'>;
}

/** Why a server that was found gives no tools, and the same for people. */
interface Unreachable {
  readonly reason: FailureReason | 'Disabled' | 'ForeignProcess' | 'SignInNeeded';
  readonly message: string;
}

/** How a server is: with its tools, or why there are none. */
export type ServerState =
  | { readonly wanted: WantedServer; readonly server: McpServerFacts; readonly tools: readonly McpTool[] }
  | Unreachable;

/** A server as an agent of the namespace names it, and for whom it is used. */
export interface AskedServer {
  readonly namespace: string;
  readonly name: string;
  readonly use: ServerUse;
}

/** How long a person waits: connection and list. */
const CHECK_MS = 15_000;
/** How long the list of an agent's tools waits for each server, all at a time: as long as a turn. */
const LIST_MS = 5_000;

const UNUSABLE: Readonly<Record<Exclude<Awaited<ReturnType<ServerLookup['find']>>, object | undefined>, Unreachable>> =
  {
    disabled: { reason: 'Disabled', message: 'the server, or its binding, is disabled' },
    'foreign-process': {
      reason: 'ForeignProcess',
      message: 'the binding was not written for this process: delete the binding and declare it again',
    },
    'sign-in': { reason: 'SignInNeeded', message: 'the server needs a person to sign in' },
    broker: { reason: 'AuthFailed', message: 'the server takes tokens of single sessions only' },
  };

/** Asks the server now, whatever is known of it. Undefined: there is none of that name. */
export const serverState = (deps: ServerStateDeps, asked: AskedServer): Promise<ServerState | undefined> =>
  stateBy(deps, asked, (wanted) => deps.pool.slot(wanted).check(CHECK_MS));

/** A server that an agent names and has no tools of. */
export interface MissingServer {
  readonly reason: Unreachable['reason'] | 'NotFound';
  readonly message: string;
}

/** Why a turn gets no tools of the server now; undefined where it does. */
export const missingServer = async (deps: ServerStateDeps, asked: AskedServer): Promise<MissingServer | undefined> => {
  const state = await stateBy(deps, asked, (wanted) => deps.pool.slot(wanted).found(LIST_MS));
  if (state === undefined)
    return { reason: 'NotFound', message: 'there is no MCP server or binding of this name in reach of the namespace' };
  return 'reason' in state ? state : undefined;
};

const stateBy = async (
  deps: ServerStateDeps,
  { namespace, name, use }: AskedServer,
  ask: (wanted: WantedServer) => Promise<ListOutcome>,
): Promise<ServerState | undefined> => {
  const wanted = await deps.lookup.find(namespace, name, use);
  if (wanted === undefined) return undefined;
  if (typeof wanted === 'string') return UNUSABLE[wanted];
  const { signIn } = wanted;
  if (signIn !== undefined && signIn.grant === undefined) return UNUSABLE['sign-in'];
  const outcome = await ask(wanted);
  if (!('failure' in outcome)) return { wanted, ...outcome };
  const need = signIn === undefined ? undefined : await signInPort(deps, name, signIn).needOf(outcome.failure);
  if (need !== undefined) return UNUSABLE['sign-in'];
  return { reason: reasonOf(outcome), message: outcome.failure.message };
};
