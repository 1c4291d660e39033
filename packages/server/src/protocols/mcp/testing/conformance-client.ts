import { isRecord, silentLog, systemClock } from '../../../base/index.ts';
import { createMcpOAuth, type OAuthTokens } from '../../mcp-oauth/index.ts';
import { createMcpConnector } from '../connector.ts';
import { type McpConnection, McpFailure, type McpQuestion, type McpReply, type McpTool } from '../contract.ts';

/** What a scenario tells its client. */
export interface ScenarioContext {
  /** A client that was registered by hand. */
  readonly client_id?: string;
  readonly client_secret?: string;
  /** Calls to make; absent = one of each tool. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** Sample arguments by the names that the scenarios use. */
const INPUT = { a: 5, b: 3 };

/** What a person would have filled in: the defaults of the form. */
const reply = ({ schema }: McpQuestion): McpReply => {
  const properties = Object.entries(
    (schema['properties'] ?? {}) as Readonly<Record<string, { readonly default?: unknown }>>,
  );
  const filled = properties.filter(([, property]) => property.default !== undefined);
  return { action: 'accept', content: Object.fromEntries(filled.map(([name, property]) => [name, property.default])) };
};

const self = {
  redirectUrl: 'http://localhost:3000/callback',
  /** The address that the suite serves such a document for. */
  documentUrl: 'https://conformance-test.local/client-metadata.json',
  softwareVersion: '0',
};

/** Tokens as a person gets them whose browser is sent back at once. */
const personAt = (url: string, context: ScenarioContext, signal: AbortSignal) => {
  // The suite has its own limits of time: those of svc would fail scenarios on a machine that is busy.
  const oauth = createMcpOAuth({ fetch: () => fetch, clock: { after: () => () => undefined } });
  const { client_id: clientId, client_secret: clientSecret } = context;
  const declared =
    clientId === undefined ? undefined : { clientId, clientSecret: clientSecret ?? '', secretExpiresAt: 0 };
  let tokens: OAuthTokens | undefined;
  let scope = '';
  const signIn = async (further = ''): Promise<void> => {
    const reach = { isTrusted: false, signal };
    const found = await oauth.discover({ url, headers: {} }, reach);
    const place = { ...found, scope: joined(found.scope, scope, further) };
    const client = declared ?? oauth.documentIdentity(place, self) ?? (await oauth.register(place, self, reach));
    const { redirectUrl } = self;
    const begun = await oauth.begin(place, client, { redirectUrl, state: 'state' });
    const { headers } = await fetch(begun.url, { redirect: 'manual' });
    const query = new URL(headers.get('location') ?? '', url).searchParams;
    const answer = { code: query.get('code') ?? '', iss: query.get('iss') ?? undefined };
    tokens = await oauth.exchange(place, client, { ...answer, ...reach, verifier: begun.verifier, redirectUrl });
    scope = tokens.scope === '' ? place.scope : tokens.scope;
  };
  return { token: async () => tokens?.accessToken ?? '', rejected: () => signIn(), signIn };
};

const joined = (...scopes: readonly string[]): string =>
  [...new Set(scopes.flatMap((one) => one.split(' ')))].filter((one) => one !== '').join(' ');

/** The client that the conformance suite of the protocol drives: it lists the tools of the server and calls each. */
export const runScenario = async (url: string, context: ScenarioContext): Promise<void> => {
  const { toolCalls } = context;
  const signal = AbortSignal.timeout(90_000);
  const connector = createMcpConnector({ fetch: () => fetch, version: '0', clock: systemClock, log: silentLog });
  const target = { transport: 'http', url, headers: {}, isTrusted: false } as const;
  const person = personAt(url, context, signal);
  const connection = await connector.connect(target, { era: 'auto', signal, authorization: person });
  const again = async <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(async (error: unknown) => {
      if (!(error instanceof McpFailure) || error.requiredScope === '') throw error;
      await person.signIn(error.requiredScope);
      return work();
    });
  try {
    const tools = await again(() => connection.tools(signal));
    const calls = toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: sampleFor(tool, tools) }));
    for (const { name, arguments: input } of calls) await again(() => call(connection, { tool: name, input, signal }));
  } finally {
    await connection.close();
  }
};

const call = (
  connection: McpConnection,
  made: { readonly tool: string; readonly input: Readonly<Record<string, unknown>>; readonly signal: AbortSignal },
) => connection.call({ ...made, meta: {}, progress: () => undefined, reply });

/** One scenario has a tool that wants to see the schema of the other as the client knows it. */
const sampleFor = ({ inputSchema }: McpTool, tools: readonly McpTool[]): Readonly<Record<string, unknown>> => {
  const properties = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {};
  const known = Object.entries(INPUT).filter(([key]) => properties[key] !== undefined);
  const echoed = properties['schema'] === undefined ? {} : { schema: tools[0]?.inputSchema };
  return { ...Object.fromEntries(known), ...echoed };
};
