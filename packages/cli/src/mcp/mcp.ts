import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type PlainContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, msOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { outputForm, printList } from '../output.ts';
import { age, harmless, localTime, renderTable } from '../terminal/index.ts';

export interface LoginOptions extends GlobalOptions {
  /** Only print the address. */
  readonly wait?: boolean;
}

export interface LogoutOptions extends GlobalOptions {
  readonly identity?: string;
  readonly shared?: boolean;
}

export interface GrantOptions extends GlobalOptions {
  readonly server?: string;
  readonly identity?: string;
}

/** How often it is asked whether the person is signed in. */
const ASK_MS = 2_000;
/** Sign-ins that one command shows at most. */
const SHOWN = 500;

const grantsOf = (
  { call, target }: Pick<PlainContext, 'call' | 'target'>,
  { server = '', identity = '' }: { readonly server?: string; readonly identity?: string },
  limit: number,
): Promise<readonly JsonObject[]> =>
  listItems({ call, limit }, 'McpSignInService/ListMcpGrants', {
    ns: target.namespace,
    server,
    identity,
    member: 'grants',
  });

/** What tells one sign-in from the next: who, in which namespace's server, and when. */
const markOf = (grant: JsonObject): string =>
  JSON.stringify([grant['serverNs'], grant['identity'], textOf(grant['signedInAt'])]);

/** `svc mcp login SERVER`: prints the address at which the person signs in, and waits until that is done. */
export const login = async (host: Host, server: string, options: LoginOptions): Promise<void> => {
  const context = await openPlain(host, options);
  const { call, target, note } = context;
  const before = new Set((await grantsOf(context, {}, Number.POSITIVE_INFINITY)).map(markOf));
  const {
    url,
    expiresAt,
    server: name,
  } = await call('McpSignInService/StartMcpSignIn', {
    ns: target.namespace,
    server,
  });
  host.stdout.write(`${harmless(textOf(url))}\n`);
  if (options.wait === false) return;
  note(`open it in a browser to sign in; waiting until ${localTime(msOf(expiresAt))}, Ctrl-C leaves`);
  while (host.nowMs() < msOf(expiresAt)) {
    const now = await grantsOf(context, { server: textOf(name) }, Number.POSITIVE_INFINITY);
    const made = now.find((grant) => !before.has(markOf(grant)));
    if (made !== undefined) return note(`signed in to ${textOf(name)} at ${harmless(textOf(made['issuer']))}`);
    await host.sleep(ASK_MS);
  }
  throw new CommandFailure('no one signed in', { exitCode: exitCodes.timeout });
};

/** `svc mcp logout SERVER`: forgets a sign-in and has its tokens revoked. */
export const logout = async (host: Host, server: string, options: LogoutOptions): Promise<void> => {
  const { call, target } = await openPlain(host, options);
  const { identity = '', shared = false } = options;
  if (identity !== '' && shared) throw new CommandFailure('--identity and --shared contradict each other');
  await call('McpSignInService/RevokeMcpGrant', { ns: target.namespace, server, identity, shared });
  host.stdout.write(`signed out of ${server}\n`);
};

/** `svc mcp grants`: who is signed in to which servers. */
export const listGrants = async (host: Host, options: GrantOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const grants = await listUpTo(context, context.limit ?? SHOWN, (limit) => grantsOf(context, options, limit));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: grants }, form);
  if (grants.length === 0) return context.note(`no one is signed in to an MCP server in ${context.target.namespace}`);
  const headings = ['SERVER', 'IDENTITY', 'ISSUER', 'SCOPE', 'AGE'];
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(
    renderTable(
      headings,
      grants.map((grant) => rowOf(host, mapOf(grant))),
      columns,
    ),
  );
};

const rowOf = (host: Host, grant: JsonObject): readonly string[] => [
  harmless(textOf(grant['server'])),
  harmless(textOf(grant['identity'])) || '(everyone)',
  harmless(textOf(grant['issuer'])),
  harmless(textOf(grant['scope'])),
  age(msOf(grant['signedInAt']), host.nowMs()),
];
