import type { Clock, Log } from '../../base/index.ts';
import { isLoopbackHost } from '../../base/network/index.ts';
import { createMcpConnector, type McpConnector } from '../../protocols/mcp/index.ts';
import type { Config } from '../config/index.ts';
import { NamespaceFetch } from './namespace-fetch.ts';

/** Every address: what the operator declares in `system` may be inside the private network. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];

/** Connections to MCP servers, under the rules for addresses that namespaces name. */
export const mcpConnector = (
  { settings, transport }: Pick<Config, 'settings' | 'transport'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): McpConnector => {
  const isLocal = isLoopbackHost(transport.host);
  const guarded = new NamespaceFetch({ allow: settings['net.allow'], isLocal });
  const open = new NamespaceFetch({ allow: ANYWHERE, isLocal });
  return createMcpConnector({
    fetch: (isTrusted) => (isTrusted ? open.fetch : guarded.fetch),
    version: transport.version,
    clock,
    log,
  });
};
