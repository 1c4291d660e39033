import type { McpAuthorization, McpEra, McpTarget } from '../../../../protocols/mcp/contract.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';
import type { GrantUse, SignInSubject } from '../sign-in/index.ts';

/** For whom a connection is, where sessions or people have tokens of their own. */
export interface ServerUse {
  readonly agent: string;
  readonly sessionId: string;
  readonly identity: string;
}

/** A server whose tokens people get by signing in. */
export interface WantedSignIn {
  readonly subject: SignInSubject;
  /** Undefined until somebody signs in. */
  readonly grant: GrantUse | undefined;
}

/** A server as it is to be reached now, from one namespace. */
export interface WantedServer {
  /** What stays the same when the configuration changes: the resource, and the namespace or the session that uses it. */
  readonly place: string;
  /** Hash of everything that the connection is made of, resolved secrets included. */
  readonly key: string;
  readonly namespace: string;
  /** The binding, or the server where there is none: the resource whose conditions say how it is. */
  readonly subject: StoredResource;
  readonly era: McpEra;
  /** Values of headers, and of secrets in arguments: not for people who only read what the server says. */
  readonly hidden: readonly string[];
  /** Undefined = every tool. */
  readonly allowlist: readonly string[] | undefined;
  /** With a broker each session has a connection of its own, with a sign-in each person. */
  readonly authorization?: McpAuthorization;
  readonly signIn?: WantedSignIn;
  readonly use?: ServerUse;
  /** Throws a Fault for a secret that does not resolve. */
  target(): Promise<McpTarget>;
}
