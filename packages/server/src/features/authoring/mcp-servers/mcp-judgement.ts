import type { McpServerBindingSpec, McpServerSpec } from '@svc/api/resources';
import { type Finding, type Judged, NOT_EXECUTED, notExecuted } from '../../../resources/index.ts';
import type { ReadTx, StoredResource } from '../../../store/contracts/index.ts';
import { effectiveServer } from './effective-server.ts';
import { type McpReferences, serverSpec } from './mcp-references.ts';

type Reads = Pick<ReadTx, 'resources'>;

/** What is known of a server without connecting to it. */
export const judgeServer = async (
  reads: Reads,
  server: { readonly namespace: string; readonly spec: McpServerSpec },
  references: McpReferences,
): Promise<Judged> => {
  const { namespace, spec } = server;
  const problems = await references.secretProblems(reads, namespace, spec);
  return settle({ isDisabled: spec.disabled, hasBroker: spec.authBroker !== undefined }, problems);
};

/** As `judgeServer`, for a binding together with the server it finds now. */
export const judgeBinding = async (
  reads: Reads,
  binding: { readonly namespace: string; readonly name: string; readonly spec: McpServerBindingSpec },
  references: McpReferences,
): Promise<Judged> => {
  const { namespace, name, spec } = binding;
  const server = await references.findBoundServer(reads, { namespace, name, serverRef: spec.serverRef });
  const problems = [
    ...(server === undefined ? [`MCP server ${spec.serverRef === '' ? name : spec.serverRef} not found`] : []),
    ...(await references.secretProblems(reads, namespace, spec)),
  ];
  return settle(connectionFacts(spec, server), problems);
};

interface ConnectionFacts {
  readonly isDisabled: boolean;
  readonly hasBroker: boolean;
}

const connectionFacts = (spec: McpServerBindingSpec, server: StoredResource | undefined): ConnectionFacts => {
  if (server === undefined) return { isDisabled: spec.disabled, hasBroker: spec.authBroker !== undefined };
  const effective = effectiveServer(
    { namespace: server.key.namespace, spec: serverSpec(server) },
    { namespace: '', spec },
  );
  return { isDisabled: effective.isDisabled, hasBroker: effective.authBroker !== undefined };
};

const settle = (facts: ConnectionFacts, problems: readonly string[]): Judged => {
  const reason = facts.isDisabled ? 'Disabled' : facts.hasBroker ? 'PerSessionAuth' : NOT_EXECUTED;
  const resolved: Finding =
    problems.length === 0
      ? { type: 'ReferencesResolved', status: 'True', reason: 'Resolved' }
      : { type: 'ReferencesResolved', status: 'False', reason: 'Unresolved', message: problems.join('; ') };
  return {
    phase: facts.isDisabled ? 'Disabled' : problems.length > 0 ? 'Degraded' : 'Ready',
    findings: [
      { type: 'Reachable', status: 'Unknown', reason },
      resolved,
      { type: 'ToolsListed', status: 'Unknown', reason },
    ],
    notExecuted: notExecuted('McpServer'),
  };
};
