import type { McpServerBindingSpec, McpServerSpec } from '@svc/api/resources';
import type { SpecWrite } from '../../../controllers/contract.ts';
import type { Finding, Judged } from '../../../resources/index.ts';
import type { ReadTx, ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import { effectiveAuth } from './auth-rules.ts';
import { effectiveServer } from './effective-server.ts';
import type { KnownState } from './known-state.ts';
import { bindingSpec, isForeignProcess, type McpReferences, serverSpec } from './mcp-references.ts';

type Reads = Pick<ReadTx, 'resources'>;
type Annotations = Readonly<Record<string, string>>;

/** What a judgement uses besides the resource. */
interface JudgementBasis {
  readonly references: McpReferences;
  /** What the last attempt to reach it found; undefined before the first. */
  readonly known: KnownState | undefined;
}

/** A server by its references and by what is known of it. */
export const judgeServer = async (
  reads: Reads,
  server: { readonly namespace: string; readonly spec: McpServerSpec; readonly annotations: Annotations },
  { references, known }: JudgementBasis,
): Promise<Judged> => {
  const { namespace, spec, annotations } = server;
  const { auth } = effectiveAuth({ annotations, hasBroker: spec.authBroker !== undefined });
  const problems = await references.secretProblems(reads, namespace, { spec, annotations });
  return settle({ isDisabled: spec.disabled, isPersonal: auth !== 'none' }, problems, known);
};

/** As `judgeServer`, for a binding together with the server it finds now. */
export const judgeBinding = async (
  reads: Reads,
  binding: Pick<SpecWrite<McpServerBindingSpec>, 'spec' | 'annotations'> & Pick<ResourceKey, 'namespace' | 'name'>,
  { references, known }: JudgementBasis,
): Promise<Judged> => {
  const { namespace, name, spec } = binding;
  const server = await references.findBoundServer(reads, { namespace, name, serverRef: spec.serverRef });
  const problems = [
    ...(server === undefined ? [`MCP server ${spec.serverRef === '' ? name : spec.serverRef} not found`] : []),
    ...(server !== undefined && isForeignProcess(server, binding)
      ? ['args and headers were not written for this process: delete the binding and declare it again']
      : []),
    ...(await references.secretProblems(reads, namespace, binding)),
  ];
  return settle(connectionFacts(binding, server), problems, known);
};

/** A stored server or binding. */
export const judgeStored = (reads: Reads, record: StoredResource, basis: JudgementBasis): Promise<Judged> => {
  const { annotations } = record;
  const { kind, namespace, name } = record.key;
  return kind === 'McpServer'
    ? judgeServer(reads, { namespace, spec: serverSpec(record), annotations }, basis)
    : judgeBinding(reads, { namespace, name, spec: bindingSpec(record), annotations }, basis);
};

interface ConnectionFacts {
  readonly isDisabled: boolean;
  /** Each session, or each person, has tokens of its own. */
  readonly isPersonal: boolean;
}

const connectionFacts = (
  { spec, annotations }: Pick<SpecWrite<McpServerBindingSpec>, 'spec' | 'annotations'>,
  server: StoredResource | undefined,
): ConnectionFacts => {
  if (server === undefined) {
    const { auth } = effectiveAuth({ annotations, hasBroker: spec.authBroker !== undefined });
    return { isDisabled: spec.disabled, isPersonal: auth !== 'none' };
  }
  const held = { namespace: server.key.namespace, spec: serverSpec(server), annotations: server.annotations };
  const { isDisabled, auth } = effectiveServer(held, { namespace: '', spec, annotations });
  return { isDisabled, isPersonal: auth !== 'none' };
};

const settle = (facts: ConnectionFacts, problems: readonly string[], known: KnownState | undefined): Judged => {
  const [reachable, toolsListed] = stateOf(facts, known);
  const resolved: Finding =
    problems.length === 0
      ? { type: 'ReferencesResolved', status: 'True', reason: 'Resolved' }
      : { type: 'ReferencesResolved', status: 'False', reason: 'Unresolved', message: problems.join('; ') };
  const findings = [reachable, resolved, toolsListed];
  const isDegraded = findings.some(({ status }) => status === 'False');
  return { phase: facts.isDisabled ? 'Disabled' : isDegraded ? 'Degraded' : 'Ready', findings };
};

/** What cannot be tried, or was not tried yet, is unknown. */
const stateOf = (facts: ConnectionFacts, known: KnownState | undefined): KnownState => {
  const reason = facts.isDisabled ? 'Disabled' : facts.isPersonal ? 'PerSessionAuth' : 'NotTried';
  if (reason === 'NotTried' && known !== undefined) return known;
  return [
    { type: 'Reachable', status: 'Unknown', reason },
    { type: 'ToolsListed', status: 'Unknown', reason },
  ];
};
