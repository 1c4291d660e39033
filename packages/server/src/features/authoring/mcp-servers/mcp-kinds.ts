import type { Message } from '@bufbuild/protobuf';
import type { McpServerBindingSpec, McpServerSpec } from '@svc/api/resources';
import { Fault } from '../../../base/index.ts';
import {
  type CheckReads,
  type KindContract,
  kindContract,
  type NamespaceFacts,
  type SpecWrite,
  type SystemKeys,
  type WriteOrigin,
} from '../../../controllers/contract.ts';
import { commonStatus, refusal } from '../../../resources/index.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import {
  AUTH_ANNOTATION,
  AUTH_SCOPE_ANNOTATION,
  CLIENT_ANNOTATION,
  checkBrokerIsSet,
  checkSignInUse,
} from './auth-rules.ts';
import { effectiveServer } from './effective-server.ts';
import { knownState } from './known-state.ts';
import { judgeBinding, judgeServer } from './mcp-judgement.ts';
import { queueProbe } from './mcp-probe.ts';
import { McpReferences, processOf, serverSpec } from './mcp-references.ts';
import {
  checkBrokerUse,
  checkMcpBinding,
  checkMcpServer,
  ERA_ANNOTATION,
  isHttpTransport,
  isStdio,
  mayWriteStdio,
  PROCESS_ANNOTATION,
} from './mcp-rules.ts';
import { type Descendants, mcpStatusDependencies } from './mcp-status.ts';

export interface McpKindDeps {
  readonly namespaces: Pick<NamespaceFacts, 'ancestors'>;
  /** `mcp.stdioNamespaces`. */
  readonly stdioNamespaces: readonly string[];
  readonly descendants: Descendants;
}

/** How MCP servers and bindings are written, whichever operation writes them. */
export const mcpContracts = (deps: McpKindDeps): readonly KindContract[] => {
  const references = new McpReferences(deps.namespaces);
  return [
    kindContract<McpServerSpec>({
      kind: 'McpServer',
      validate: ({ spec, annotations }) => checkMcpServer(spec, annotations),
      admit: async (_tx, write, origin) => requireServerRight(deps, write, origin),
      observe: async (tx, write) => {
        const subject = { namespace: write.key.namespace, spec: write.spec, annotations: write.annotations };
        const judged = await judgeServer(tx, subject, { references, known: knownOf(write) });
        return commonStatus(write.current, judged, at(tx, write.generation));
      },
      applied: probeChanged,
      dependsOn: mcpStatusDependencies('McpServer', deps.descendants),
    }),
    kindContract<McpServerBindingSpec>({
      kind: 'McpServerBinding',
      validate: ({ spec, annotations }) => checkMcpBinding(spec, annotations),
      admit: (tx, write, origin) => admitBinding({ ...deps, references }, tx, { write, origin }),
      systemKeys: (tx, write) => processKeys(references, tx, write),
      observe: async (tx, write) => {
        const { namespace, name } = write.key;
        const subject = { namespace, name, spec: write.spec, annotations: write.annotations };
        const judged = await judgeBinding(tx, subject, { references, known: knownOf(write) });
        return commonStatus(write.current, judged, at(tx, write.generation));
      },
      applied: probeChanged,
      dependsOn: mcpStatusDependencies('McpServerBinding', deps.descendants),
    }),
  ];
};

const knownOf = ({ current, generation }: Pick<SpecWrite<Message>, 'current' | 'generation'>) =>
  knownState(current, generation);

const CONNECTION_ANNOTATIONS = [ERA_ANNOTATION, AUTH_ANNOTATION, AUTH_SCOPE_ANNOTATION, CLIENT_ANNOTATION];

/** What is another server now is tried at once. */
const probeChanged = async (
  tx: WriteTx,
  { isSpecChanged, current, annotations, stored }: SpecWrite<Message> & { readonly stored: StoredResource },
): Promise<void> => {
  const isOther = CONNECTION_ANNOTATIONS.some((name) => current?.annotations[name] !== annotations[name]);
  if (isSpecChanged || current === undefined || isOther) await queueProbe(tx, stored);
};

const at = (tx: CheckReads, generation: number) => ({ now: tx.now(), generation });

const requireServerRight = (deps: McpKindDeps, write: SpecWrite<McpServerSpec>, origin: WriteOrigin): void => {
  const wasStdio = write.current !== undefined && isStdio(serverSpec(write.current).transport);
  if (isStdio(write.spec.transport) || wasStdio) requireStdioRight(deps, write.key.namespace, origin);
};

/** What starts processes on this machine is not for everybody. Throws PERMISSION_DENIED SCOPE. */
const requireStdioRight = (deps: McpKindDeps, namespace: string, origin: WriteOrigin): void => {
  const { stdioNamespaces } = deps;
  if (mayWriteStdio(namespace, { grants: origin.caller.grants ?? [], stdioNamespaces })) return;
  throw new Fault(
    'PERMISSION_DENIED',
    'SCOPE',
    'a stdio MCP server needs an unscoped admin grant or a namespace of mcp.stdioNamespaces',
    { metadata: { ns: namespace } },
  );
};

/**
 * The server must resolve when the binding is made or changed, and must allow its broker. Arguments and variables of
 * a process need the right to write such servers: they decide what it does.
 */
const admitBinding = async (
  deps: McpKindDeps & { readonly references: McpReferences },
  tx: WriteTx,
  { write, origin }: { readonly write: SpecWrite<McpServerBindingSpec>; readonly origin: WriteOrigin },
): Promise<void> => {
  const { current, annotations, spec } = write;
  const { namespace, name } = write.key;
  const isAuthChanged = current?.annotations[AUTH_ANNOTATION] !== annotations[AUTH_ANNOTATION];
  if (!write.isSpecChanged && !isAuthChanged) return;
  const server = await deps.references.findBoundServer(tx, { namespace, name, serverRef: spec.serverRef });
  if (server === undefined) {
    const wanted = spec.serverRef === '' ? name : spec.serverRef;
    const description = `MCP server does not exist: ${wanted}`;
    throw new Fault('FAILED_PRECONDITION', 'REFERENCE_MISSING', description, {
      metadata: { ns: namespace, server: wanted },
      violations: [{ field: 'spec.serverRef', description, reason: 'REFERENCE_MISSING' }],
    });
  }
  if (processOf(server, spec) !== undefined) requireStdioRight(deps, namespace, origin);
  const held = { namespace: server.key.namespace, spec: serverSpec(server), annotations: server.annotations };
  const effective = effectiveServer(held, { namespace, spec, annotations });
  const hasBroker = effective.authBroker !== undefined;
  const faults = [
    ...(hasBroker ? checkBrokerUse(effective) : []),
    ...checkBrokerIsSet({ annotations, hasBroker }),
    ...(effective.auth === 'oauth'
      ? checkSignInUse({ isHttp: isHttpTransport(effective.transport), headers: effective.headers })
      : []),
  ];
  if (faults.length > 0) throw refusal(faults);
};

/** Notes for which process `admitBinding` has just checked the writer; what was not checked again keeps its note. */
const processKeys = async (
  references: McpReferences,
  tx: WriteTx,
  { key, spec, current, isSpecChanged }: SpecWrite<McpServerBindingSpec>,
): Promise<SystemKeys> => {
  if (!isSpecChanged || current?.deletionTimestamp !== undefined) return {};
  const { namespace, name } = key;
  const server = await references.findBoundServer(tx, { namespace, name, serverRef: spec.serverRef });
  return { annotations: { [PROCESS_ANNOTATION]: server === undefined ? undefined : processOf(server, spec) } };
};
