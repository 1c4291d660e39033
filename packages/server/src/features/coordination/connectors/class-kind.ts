import { create } from '@bufbuild/protobuf';
import { type ConnectorClassSpec, type ConnectorClassStatus, ConnectorClassStatusSchema } from '@svc/api/resources';
import {
  type CheckReads,
  followKinds,
  type KindContract,
  kindContract,
  type SpecWrite,
} from '../../../controllers/contract.ts';
import {
  type Finding,
  judgedConditions,
  kindRow,
  messageFromText,
  NOT_EXECUTED,
  notExecuted,
} from '../../../resources/index.ts';
import type { ReadTx } from '../../../store/contracts/index.ts';
import { type ConnectorClassRuleDeps, checkConnectorClass, fillClassDefaults } from './class-rules.ts';

type Reads = Pick<ReadTx, 'resources'>;

export interface ConnectorClassKindDeps extends ConnectorClassRuleDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Why a `secret://` reference does not resolve in a namespace; undefined when it does. */
  readonly secretProblem: (reads: Reads, namespace: string, reference: string) => Promise<string | undefined>;
}

/** How connector classes are written. Nothing registers them yet, and their conditions say so. */
export const connectorClassContract = (deps: ConnectorClassKindDeps): KindContract =>
  kindContract<ConnectorClassSpec>({
    kind: 'ConnectorClass',
    defaults: fillClassDefaults,
    validate: ({ spec }) => checkConnectorClass(spec, deps),
    observe: (tx, write) => observe(deps, tx, write),
    dependsOn: followKinds('ConnectorClass', { Secret: {} }),
  });

const UNREGISTERED = 'this process has not registered the class with its service';

const observe = async (deps: ConnectorClassKindDeps, tx: CheckReads, write: SpecWrite<ConnectorClassSpec>) => {
  const { current, generation } = write;
  const credential = await judgeCredential(deps, tx, write);
  const isResolved = credential.status === 'True';
  const ready: Finding = isResolved
    ? { type: 'Ready', status: 'Unknown', reason: NOT_EXECUTED, message: notExecuted('ConnectorClass') ?? '' }
    : { type: 'Ready', status: 'False', reason: 'CredentialUnavailable', message: credential.message ?? '' };
  const findings: readonly Finding[] = [
    ready,
    { type: 'CallbackAccepted', status: 'False', reason: 'NoRegistration', message: UNREGISTERED },
    credential,
    { type: 'DeliveryHealthy', status: 'Unknown', reason: 'NoDelivery' },
    { type: 'ProviderConnected', status: 'Unknown', reason: 'NoReport' },
  ];
  const previous =
    current === undefined
      ? []
      : (messageFromText(kindRow('ConnectorClass').status, current.status) as ConnectorClassStatus).conditions;
  return create(ConnectorClassStatusSchema, {
    observedGeneration: BigInt(generation),
    phase: 'pending',
    conditions: judgedConditions(previous, { phase: 'pending', findings }, { now: tx.now(), generation }),
  });
};

const judgeCredential = async (
  deps: ConnectorClassKindDeps,
  reads: Reads,
  write: SpecWrite<ConnectorClassSpec>,
): Promise<Finding> => {
  const { plain, env } = write.spec.auth?.apiKey ?? {};
  if (env !== undefined && (deps.environment[env] ?? '').trim() === '')
    return { type: 'CredentialResolved', status: 'False', reason: 'EnvNotSet', message: `variable ${env} is not set` };
  const problem = plain?.startsWith('secret://')
    ? await deps.secretProblem(reads, write.key.namespace, plain)
    : undefined;
  return problem === undefined
    ? { type: 'CredentialResolved', status: 'True', reason: 'Resolved' }
    : { type: 'CredentialResolved', status: 'False', reason: problem, message: `${plain} does not resolve` };
};
