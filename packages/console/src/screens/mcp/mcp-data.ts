import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { CheckMcpServerResponse, McpGrant, StartMcpSignInResponse } from '@svc/api/gateway';
import {
  type McpServerBindingSpec,
  McpServerPolicySchema,
  type McpServerSpec,
  type Resource,
  type ResourceSpecSchema,
} from '@svc/api/resources';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useRead, useWrite } from '../../api/use-call.ts';
import { notify } from '../../ui/notices.tsx';
import { addressOfResource, keptMetadata } from '../resources/index.ts';
import { texts } from './texts.ts';

const GRANTS = { topics: ['mcp grants'] };

/** What servers and bindings have in common, and what each has alone. */
export type McpSpec = McpServerSpec | McpServerBindingSpec;

export const mcpSpec = ({ spec }: Resource): McpSpec | undefined =>
  spec?.kind.case === 'mcpServer' || spec?.kind.case === 'mcpServerBinding' ? spec.kind.value : undefined;

/** Whether people sign in to the server themselves. */
export const takesSignIn = ({ metadata }: Resource): boolean =>
  metadata?.annotations['option.svc/mcp-auth'] === 'oauth';

/** Sign-ins to a server that the person may see. */
export const useGrants = (ns: string, server: string): UseQueryResult<readonly McpGrant[]> =>
  useRead({
    key: ['ListMcpGrants', ns, server],
    call: async (client, signal) =>
      (await client.mcpSignIns.listMcpGrants({ ns, server, pageSize: 500 }, { signal })).grants,
    shows: GRANTS,
  });

/** Connects to a server as an agent would. The server writes what it found into the state of the resource. */
export const useCheck = (ns: string, server: string): UseMutationResult<CheckMcpServerResponse, Error, void> =>
  useWrite<void, CheckMcpServerResponse>((client) => client.tools.checkMcpServer({ ns, server }));

/** Asks for the address at which the person signs in. */
export const useSignIn = (ns: string, server: string): UseMutationResult<StartMcpSignInResponse, Error, void> =>
  useWrite<void, StartMcpSignInResponse>((client) => client.mcpSignIns.startMcpSignIn({ ns, server }), {
    changes: GRANTS,
  });

export const useRevoke = (ns: string): UseMutationResult<unknown, Error, McpGrant> =>
  useWrite<McpGrant, unknown>(
    (client, { server, identity }) =>
      client.mcpSignIns.revokeMcpGrant({ ns, server, identity, shared: identity === '' }),
    { changes: GRANTS, onDone: () => notify(texts.revoked) },
  );

/** Replaces the list of allowed tools. Masked headers are sent as they came, which keeps the stored ones. */
export const useAllowlist = (resource: Resource): UseMutationResult<unknown, Error, readonly string[]> =>
  useWrite<readonly string[], unknown>(
    (client, allowlist) => {
      const { apiVersion, kind } = resource;
      const metadata = keptMetadata(resource.metadata);
      const manifest = { apiVersion, kind, metadata, spec: withAllowlist(resource, allowlist) };
      return client.resources.applyResource({ ...addressOfResource(resource), manifest });
    },
    {
      changes: { kinds: ['McpServer', 'McpServerBinding'] },
      onDone: () => notify(texts.saved(resource.metadata?.name ?? '')),
    },
  );

const withAllowlist = (
  { spec }: Resource,
  allowlist: readonly string[],
): MessageInitShape<typeof ResourceSpecSchema> => {
  const policy = create(McpServerPolicySchema, { tools: { allowlist: [...allowlist] } });
  const own = spec?.kind;
  if (own?.case === 'mcpServer') return { kind: { case: own.case, value: { ...own.value, policy } } };
  if (own?.case === 'mcpServerBinding') return { kind: { case: own.case, value: { ...own.value, policy } } };
  throw new TypeError('this is not an MCP server');
};
