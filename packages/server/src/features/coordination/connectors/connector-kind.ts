import type { ConnectorSpec } from '@svc/api/resources';
import type { FieldViolation } from '../../../base/index.ts';
import {
  followKinds,
  type KindContract,
  kindContract,
  type SpecWrite,
  type StatusDependencies,
  type WriteOrigin,
} from '../../../controllers/contract.ts';
import { everyResource, type StoredResource, type WriteTx } from '../../../store/contracts/index.ts';
import {
  checkConnector,
  consumerNamespaceFault,
  consumerNamespaces,
  fillConnectorDefaults,
} from './connector-rules.ts';
import { connectorStatus, type RouteBook, type RouteBookDeps } from './routes/index.ts';

export interface ConnectorKindDeps extends Omit<RouteBookDeps, 'writer'> {
  readonly routes: RouteBook;
  /** What else ends with a connector, in the transaction that removes it. */
  readonly removed: (tx: WriteTx, connector: StoredResource) => Promise<void>;
}

type Write = SpecWrite<ConnectorSpec>;

/** How connectors are written, and how they get their routes. */
export const connectorContract = (deps: ConnectorKindDeps): KindContract =>
  kindContract<ConnectorSpec>({
    kind: 'Connector',
    defaults: fillConnectorDefaults,
    validate: (write, origin) => {
      const { key, spec } = write;
      const faults = checkConnector({ namespace: key.namespace, spec, ancestors: deps.ancestorsOf(key.namespace) });
      return write.isSpecChanged && origin !== undefined ? [...faults, ...consumerFaults(deps, write, origin)] : faults;
    },
    observe: (reads, { key, spec, generation, annotations, current, occasion }) =>
      connectorStatus(deps, reads, {
        namespace: key.namespace,
        spec,
        generation,
        annotations,
        status: current?.status,
        isWrite: occasion === 'write',
      }),
    settle: (tx, stored) => deps.routes.settle(tx, stored),
    removing: async (tx, connector) => {
      await deps.routes.release(tx, connector);
      await deps.removed(tx, connector);
    },
    dependsOn: {
      ...connectorDependencies,
      settled: async (tx, stored) => {
        await deps.routes.settle(tx, stored);
      },
    },
  });

const followed = followKinds('Connector', {
  ConnectorClass: {},
  Channel: {},
  Agent: { presenceOnly: true },
  Workflow: { presenceOnly: true },
});

/** A namespace that is deleted, or comes back, concerns the connectors in it. */
const connectorDependencies: StatusDependencies = {
  concerns: (change) => change.resource.key.kind === 'Namespace' || followed.concerns(change),
  keysFor: async (change, reads) => {
    const { kind, name } = change.resource.key;
    if (kind !== 'Namespace') return followed.keysFor(change, reads);
    const scope = { type: 'namespace', namespace: name } as const;
    return (await everyResource(reads, { kind: 'Connector', scope })).map(({ key }) => key);
  },
};

/** Messages may go to the own namespace, one below it, or one that the writer could post to himself. */
const consumerFaults = (deps: ConnectorKindDeps, write: Write, origin: WriteOrigin): readonly FieldViolation[] => {
  const own = write.key.namespace;
  const isOpen = (namespace: string): boolean => {
    const line = [namespace, ...deps.ancestorsOf(namespace)];
    if (line.includes(own)) return true;
    return (origin.caller.grants ?? []).some((grant) => {
      const isNarrow = [grant.agent, grant.session, grant.channel].some((scope) => scope !== undefined);
      return grant.role !== 'viewer' && !isNarrow && (grant.namespace === undefined || line.includes(grant.namespace));
    });
  };
  return consumerNamespaces(write.spec.consumer)
    .filter(({ namespace }) => !isOpen(namespace))
    .map(({ field }) => consumerNamespaceFault(field));
};
