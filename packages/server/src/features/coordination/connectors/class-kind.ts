import type { ConnectorClassSpec } from '@svc/api/resources';
import { followKinds, type KindContract, kindContract } from '../../../controllers/contract.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { type ConnectorClassRuleDeps, checkConnectorClass, fillClassDefaults } from './class-rules.ts';
import { type ClassStatusDeps, classState, classStatus } from './registration/index.ts';

export interface ConnectorClassKindDeps extends ConnectorClassRuleDeps, ClassStatusDeps {
  /** What ends with a class, in the transaction that removes it. */
  readonly removed: (tx: WriteTx, connectorClass: StoredResource) => Promise<void>;
}

/** How connector classes are written. What they keep of their registration is written by the registrar. */
export const connectorClassContract = (deps: ConnectorClassKindDeps): KindContract =>
  kindContract<ConnectorClassSpec>({
    kind: 'ConnectorClass',
    defaults: fillClassDefaults,
    validate: ({ spec }) => checkConnectorClass(spec, deps),
    observe: (reads, { key, spec, generation, annotations, current }) =>
      classStatus(deps, reads, {
        namespace: key.namespace,
        spec,
        generation,
        status: current?.status,
        state: classState(annotations),
      }),
    removing: deps.removed,
    dependsOn: followKinds('ConnectorClass', { Secret: {} }),
  });
