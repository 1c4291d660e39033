import type { FeatureModule } from '../../module-contract.ts';
import { type ConnectorClassKindDeps, connectorClassContract } from './class-kind.ts';
import { type ConnectorKindDeps, connectorContract } from './connector-kind.ts';

/** The kinds ConnectorClass and Connector, which have no operations of their own. */
export const connectorsModule = (deps: ConnectorClassKindDeps & ConnectorKindDeps): FeatureModule => {
  const connectorClass = connectorClassContract(deps);
  const connector = connectorContract(deps);
  const presence = { presenceOnly: true };
  return {
    kinds: [connectorClass, connector],
    statuses: [
      { contract: connectorClass, follows: { Secret: {} } },
      { contract: connector, follows: { ConnectorClass: {}, Channel: {}, Agent: presence, Workflow: presence } },
    ],
  };
};
