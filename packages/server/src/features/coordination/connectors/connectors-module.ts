import { recordKey } from '../../../resources/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { type ConnectorClassKindDeps, connectorClassContract } from './class-kind.ts';
import { type ConnectorKindDeps, connectorContract } from './connector-kind.ts';
import { connectorOperations } from './connector-operations.ts';
import { type DeliveryPartsDeps, deliveryParts } from './delivery-parts.ts';

interface ConnectorsModuleDeps
  extends ConnectorClassKindDeps,
    ConnectorKindDeps,
    Omit<DeliveryPartsDeps, 'registrations'> {}

interface ConnectorsModule extends FeatureModule {
  /** Ends what is being sent; the store still holds it. */
  close(): Promise<void>;
}

/** The kinds ConnectorClass and Connector, their operations, and the deliveries to connector services. */
export const connectorsModule = (deps: ConnectorsModuleDeps): ConnectorsModule => {
  const deliveries = deliveryParts({
    ...deps,
    // Nothing registers classes yet: deliveries wait for as long as their class exists.
    registrations: {
      placeOf: async ({ uid, namespace, name }) => {
        const record = await deps.store.direct.resources.get(recordKey('ConnectorClass', namespace, name));
        if (record?.uid !== uid) return { state: 'deleted' };
        return { state: 'waiting', reason: 'the class is not registered with its service' };
      },
      renew: async () => undefined,
      showHealth: async () => undefined,
    },
  });
  return {
    kinds: [connectorClassContract(deps), connectorContract(deps)],
    workers: deliveries.workers,
    jobs: deliveries.jobs,
    operations: [...connectorOperations, ...deliveries.operations],
    close: () => deliveries.close(),
  };
};
