import { type Clock, invalidField, type Log } from '../../base/index.ts';
import { isLoopbackHost } from '../../base/network/index.ts';
import { createPeerClient } from '../../protocols/a2a/index.ts';
import { createMcpConnector } from '../../protocols/mcp/index.ts';
import { createMcpOAuth } from '../../protocols/mcp-oauth/index.ts';
import { type Config, connectorVariables } from '../config/index.ts';
import { NamespaceFetch } from './namespace-fetch.ts';

/** Every address: what the operator declares in `system` may be inside the private network. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];
/** Time for a connection to a broker or an authorization server. */
const BROKER_CONNECT_MS = 5_000;

/** Namespace whose agents may use private addresses. */
const TRUSTED_NAMESPACE = 'system';

const namespaceFetch = (
  { settings, transport }: Pick<Config, 'settings' | 'transport'>,
  more: { readonly connectMs?: number },
): NamespaceFetch =>
  new NamespaceFetch({ allow: settings['net.allow'], isLocal: isLoopbackHost(transport.host), ...more });

/** `fetch` for what namespaces named; what a trusted part of the product named may be anywhere. */
const fetchersOf = (config: Pick<Config, 'settings' | 'transport'>) => (more: { readonly connectMs?: number }) => {
  const guarded = namespaceFetch(config, more);
  const isLocal = isLoopbackHost(config.transport.host);
  const open = new NamespaceFetch({ allow: ANYWHERE, isLocal, ...more });
  return (isTrusted: boolean) => (isTrusted ? open.fetch : guarded.fetch);
};

/** Calls to agents elsewhere, under the same rules. */
export const peerOutbound = (config: Pick<Config, 'settings' | 'transport'>, { clock }: { readonly clock: Clock }) =>
  createPeerClient({ fetch: fetchersOf(config)({}), clock });

/** Requests to connector services, under the same rules, and the facts of this process that connector classes may name. */
export const connectorOutbound = (
  config: Config,
  { environment }: { readonly environment: Readonly<Record<string, string | undefined>> },
) => ({
  fetch: fetchersOf(config)({}),
  isEnvAllowed: connectorVariables(config.settings['connectors.envAllow'], config),
  environment,
  clusterId: config.clusterId,
});

/** Requests to the addresses that agents elsewhere have the states of their tasks sent to, under the same rules. */
export const pushOutbound = (config: Pick<Config, 'settings' | 'transport'>) => {
  const fetchers = fetchersOf(config)({});
  const guarded = namespaceFetch(config, {});
  return {
    fetch: fetchers,
    /** What a name leads to is checked when it is connected to. */
    requireAddress: (namespace: string, url: string): void => {
      if (namespace === TRUSTED_NAMESPACE || guarded.mayReach(url)) return;
      throw invalidField('url', 'is not a public address, and net.allow does not list it');
    },
  };
};

/** Connections to MCP servers, and requests to their brokers and authorization servers, under the rules for addresses that namespaces name. */
export const mcpOutbound = (
  config: Pick<Config, 'settings' | 'transport'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
) => {
  const fetchers = fetchersOf(config);
  return {
    connector: createMcpConnector({ fetch: fetchers({}), version: config.transport.version, clock, log }),
    brokerFetch: fetchers({ connectMs: BROKER_CONNECT_MS }),
    oauth: createMcpOAuth({ fetch: fetchers({ connectMs: BROKER_CONNECT_MS }), clock }),
  };
};
