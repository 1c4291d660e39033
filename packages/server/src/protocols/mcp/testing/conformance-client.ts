import { silentLog, systemClock } from '../../../base/index.ts';
import { createMcpConnector } from '../connector.ts';
import type { McpQuestion, McpReply } from '../contract.ts';

/** The client that the conformance suite of the protocol drives: it lists the tools of the server and calls each. */
const url = process.argv.at(-1) ?? '';
const signal = AbortSignal.timeout(25_000);

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

const connector = createMcpConnector({ fetch: () => fetch, version: '0', clock: systemClock, log: silentLog });
const target = { transport: 'http', url, headers: {}, isTrusted: false } as const;
const connection = await connector.connect(target, { era: 'auto', signal });
for (const { name, inputSchema } of await connection.tools(signal)) {
  const known = Object.keys((inputSchema['properties'] ?? {}) as object);
  const input = Object.fromEntries(Object.entries(INPUT).filter(([key]) => known.includes(key)));
  await connection.call({ tool: name, input, meta: {}, signal, progress: () => undefined, reply });
}
await connection.close();
