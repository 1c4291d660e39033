import type { FeatureModule } from '../../module-contract.ts';
import { type ConnectorClassKindDeps, connectorClassContract } from './class-kind.ts';
import { type ConnectorKindDeps, connectorContract } from './connector-kind.ts';
import { connectorOperations } from './connector-operations.ts';

/** The kinds ConnectorClass and Connector, and their operations. */
export const connectorsModule = (deps: ConnectorClassKindDeps & ConnectorKindDeps): FeatureModule => {
  const connectorClass = connectorClassContract(deps);
  const connector = connectorContract(deps);
  const presence = { presenceOnly: true };
  return {
    kinds: [connectorClass, connector],
    operations: connectorOperations,
    statuses: [
      { contract: connectorClass, follows: { Secret: {} } },
      { contract: connector, follows: { ConnectorClass: {}, Channel: {}, Agent: presence, Workflow: presence } },
    ],
  };
};
