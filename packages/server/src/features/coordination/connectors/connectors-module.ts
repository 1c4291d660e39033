import type { FeatureModule } from '../../module-contract.ts';
import { type ConnectorClassKindDeps, connectorClassContract } from './class-kind.ts';
import { type ConnectorKindDeps, connectorContract } from './connector-kind.ts';
import { connectorOperations } from './connector-operations.ts';

/** The kinds ConnectorClass and Connector, and their operations. */
export const connectorsModule = (deps: ConnectorClassKindDeps & ConnectorKindDeps): FeatureModule => ({
  kinds: [connectorClassContract(deps), connectorContract(deps)],
  operations: connectorOperations,
});
