import { isFault } from '../../../../base/index.ts';
import { McpFailure } from '../../../../protocols/mcp/contract.ts';
import { OAuthFailure } from '../../../../protocols/mcp-oauth/contract.ts';
import {
  errorResult,
  serverPrefix,
  signInName,
  type Tool,
  type ToolContext,
  type ToolResult,
  type ToolWait,
  textResult,
} from '../../../../tools/contract.ts';
import { type AccessTokens, asksForMore, SignInNeeded, type SignIns } from '../sign-in/index.ts';
import { signInKey, taskOfCall, waitForTools } from './task-wait-rules.ts';
import type { WantedSignIn } from './wanted-server.ts';

export interface SignInToolsDeps {
  readonly signIns: Pick<SignIns, 'begin'>;
  readonly tokens: Pick<AccessTokens, 'revoke'>;
}

/** How calls of one server reach the person whose sign-in they need. */
export interface SignInPort {
  /**
   * What another sign-in has to bring to end the failure; undefined for one that none ends. A token that the server refuses is forgotten; one
   * that has too few scopes is used for other calls meanwhile.
   */
  needOf(error: unknown): Promise<SignInNeed | undefined>;
  /** The question for the person, or why there is none: it was declined before, or the authorization server cannot be reached. */
  ask(
    tool: string,
    context: Pick<ToolContext, 'answers' | 'waited' | 'signal'>,
    need: SignInNeed,
  ): Promise<ToolResult | ToolWait>;
}

/** Why a person has to sign in: to get a token, or one with further scopes. */
export interface SignInNeed {
  /** '' = any token. */
  readonly scope: string;
}

/** A token, whatever its scopes. */
export const ANY_TOKEN: SignInNeed = { scope: '' };

/** How often one call asks: a server that takes no token would ask for ever. */
const ASKED_MAX = 3;
const UNAUTHORIZED = 401;
/** Characters of scopes that a person is shown. */
const SCOPE_SHOWN = 300;

/** The port for a server as its turn found it; `server` is the agent's word for it. */
export const signInPort = (
  { signIns, tokens }: SignInToolsDeps,
  server: string,
  { subject, grant }: WantedSignIn,
): SignInPort => ({
  needOf: async (error) => {
    if (error instanceof SignInNeeded) return ANY_TOKEN;
    if (!(error instanceof McpFailure)) return undefined;
    if (error.requiredScope !== '') return { scope: error.requiredScope };
    if (error.status !== UNAUTHORIZED) return undefined;
    if (grant !== undefined) await tokens.revoke(grant);
    return ANY_TOKEN;
  },
  ask: async (tool, context, { scope }) => {
    const { answers, signal } = context;
    const refused = refusedBefore({ tool, server, scope }, answers);
    if (refused !== undefined) return refused;
    const more = scope === '' ? undefined : { scope, beyond: grant?.epoch ?? 0 };
    try {
      const { url, question } = await signIns.begin(subject, signal, more);
      const { host } = new URL(url);
      const prompt = promptFor({ server, host, scope });
      return { wait: 'person', question: { key: signInKey(question, context), kind: 'sign_in', prompt, url } };
    } catch (error) {
      if (error instanceof OAuthFailure) {
        const isDown = error.kind === 'unreachable';
        return errorResult(tool, isDown ? 'unavailable' : 'failed', `no sign-in: ${error.message}`, isDown);
      }
      if (isFault(error)) return errorResult(tool, 'failed', `no sign-in: ${error.message}`);
      throw error;
    }
  },
});

/** Why the person is not asked again; undefined where a sign-in may help. */
const refusedBefore = (
  { tool, server, scope }: { readonly tool: string; readonly server: string; readonly scope: string },
  answers: ToolContext['answers'],
): ToolResult | undefined => {
  if (isDeclined(answers)) return declined(tool, server);
  const asked = answers.filter(({ kind }) => kind === 'sign_in');
  if (asked.length >= ASKED_MAX) return errorResult(tool, 'denied', `MCP server ${server} does not accept the sign-in`);
  if (scope !== '' && asked.some(({ key }) => asksForMore(key)))
    return errorResult(tool, 'denied', `MCP server ${server} wants further permissions than the person gave`);
  return undefined;
};

const promptFor = ({
  server,
  host,
  scope,
}: {
  readonly server: string;
  readonly host: string;
  readonly scope: string;
}): string =>
  scope === ''
    ? `MCP server ${server} needs you to sign in at ${host}.`
    : `MCP server ${server} needs further permissions: ${scope.slice(0, SCOPE_SHOWN)}. Sign in again at ${host} to give them.`;

/** The person said no, or did not sign in in time. */
export const isDeclined = (answers: ToolContext['answers']): boolean =>
  answers.some(({ kind, decision }) => kind === 'sign_in' && decision === 'declined');

/** The result of a call whose sign-in was declined. */
export const declined = (tool: string, server: string): ToolResult =>
  errorResult(tool, 'denied', `signing in to MCP server ${server} was declined`);

const ANY_INPUT = { type: 'object' } as const;

interface PlaceholderOptions {
  /** The agent's word for the server. */
  readonly server: string;
  readonly port: SignInPort;
  readonly need: SignInNeed;
  /** Whether the person is signed in by now, with what is needed. */
  readonly isSignedIn: () => Promise<boolean>;
}

/**
 * What an agent is offered of a server whose tools are not known yet: one tool that asks the person to sign in. Calls that are open from
 * before are answered as well: they wait for the sign-in and run once the tools are there, or are denied.
 */
export const toolsBeforeSignIn = (options: PlaceholderOptions, openCalls: readonly string[]): readonly Tool[] => {
  const { server } = options;
  const own = signInName(server);
  const waiting = new Set(openCalls.filter((name) => name !== own && name.startsWith(serverPrefix(server))));
  return [signInTool(options), ...[...waiting].map((name) => placeholder(options, name))];
};

/** Asks the person to sign in, and says so once that happened. */
export const signInTool = ({ server, port, need, isSignedIn }: PlaceholderOptions): Tool => {
  const name = signInName(server);
  return {
    name,
    inputSchema: ANY_INPUT,
    effect: 'external',
    description: `Asks the person to sign in to MCP server ${server}, whose tools can be used afterwards. Waits until that is done.`,
    capability: { name: 'mcp', action: `${server}/sign_in`, granted: 'always' },
    run: async (context) => {
      if (isDeclined(context.answers)) return declined(name, server);
      if (!(await isSignedIn())) return port.ask(name, context, need);
      return textResult(`Signed in to MCP server ${server}. Its tools can be used now.`);
    },
  };
};

const placeholder = ({ server, port, need, isSignedIn }: PlaceholderOptions, name: string): Tool => ({
  name,
  inputSchema: ANY_INPUT,
  effect: 'external',
  description: `A tool of MCP server ${server}, which needs a person to sign in.`,
  capability: { name: 'mcp', action: `${server}/sign_in`, granted: 'always' },
  run: async (context) => {
    if (isDeclined(context.answers)) return declined(name, server);
    if (!(await isSignedIn())) return port.ask(name, context, need);
    // Called again, it would begin a second task.
    const taskId = taskOfCall(context);
    if (taskId !== undefined) return waitForTools(context, taskId);
    return errorResult(
      name,
      'unavailable',
      `the person signed in to MCP server ${server} just now: call it again`,
      true,
    );
  },
});
