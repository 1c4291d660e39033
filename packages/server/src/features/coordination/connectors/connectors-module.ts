import type { Authenticator, Authorizer } from '../../../auth/contract.ts';
import type { Clock, Log, Random } from '../../../base/index.ts';
import type { NamespaceFacts, ResourceWriter } from '../../../controllers/contract.ts';
import type { ValueHash, ValueSeal } from '../../../resources/index.ts';
import type { ObjectAccess } from '../../../runtime/contract.ts';
import type { Bus, Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { type AttachmentDeps, uploadRoute } from './attachments/index.ts';
import { CallbackAuthenticator, forgetSecrets } from './callbacks/index.ts';
import { connectorClassContract } from './class-kind.ts';
import { ClassRegistrations } from './class-registrations.ts';
import type { ConnectorClassRuleDeps } from './class-rules.ts';
import { connectorContract } from './connector-kind.ts';
import { connectorOperations } from './connector-operations.ts';
import { ConnectorRemains, connectorTrim, leaveRemains } from './connector-remains.ts';
import { connectorTrail } from './connector-trail.ts';
import type { ConsumersDeps } from './consumers/index.ts';
import { type DeliveryPartsDeps, type DeliverySettings, deliveryParts } from './delivery-parts.ts';
import { IngestService } from './ingest/index.ts';
import { deliveryClaims } from './outbox/index.ts';
import {
  cancelRegistration,
  changeClass,
  Registrar,
  type RegistrarDeps,
  registrationTrigger,
  secretArrived,
} from './registration/index.ts';
import { DeliveryActivities } from './review/index.ts';
import { RouteBook } from './routes/index.ts';

/** Sizes in bytes, times in milliseconds. */
interface ConnectorSettings extends DeliverySettings {
  readonly 'connectors.secretRotationSeconds': number;
  readonly 'connectors.secretOverlapSeconds': number;
  readonly 'limits.registerTimeout': number;
  readonly 'limits.ingestBodyMax': number;
  readonly 'limits.ingestTextMax': number;
  readonly 'limits.ingestAttachmentsMax': number;
  readonly 'limits.ingestDedupeRetention': number;
  readonly 'limits.botRate': number;
  readonly 'limits.pointerRetention': number;
}

interface ConnectorsModuleDeps
  extends ConnectorClassRuleDeps,
    Pick<RegistrarDeps, 'secret' | 'secretProblem' | 'fetch' | 'baseUrl' | 'clusterId' | 'environment'>,
    Pick<ConsumersDeps, 'admission' | 'channels' | 'workflows' | 'objectIn'>,
    Pick<AttachmentDeps, 'fileObject'>,
    Pick<DeliveryPartsDeps, 'ids' | 'workerId' | 'audit' | 'deliveries' | 'links' | 'showUndelivered'> {
  readonly lifecycle: ConsumersDeps['lifecycle'] & DeliveryPartsDeps['lifecycle'];
  readonly settings: ConnectorSettings;
  readonly store: Store;
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly ancestorsOf: (namespace: string) => readonly string[];
  readonly authorizer: Authorizer;
  readonly seal: ValueSeal & ValueHash;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly objects: Pick<ObjectAccess, 'store' | 'hold'>;
}

export interface ConnectorsModule extends FeatureModule {
  /** Who calls back: for calls that need a callback secret. */
  readonly callbacks: Authenticator;
  /** Deliveries as they change. */
  readonly activities: DeliveryActivities;
  /** Ends requests to connector services that are under way. */
  close(): Promise<void>;
}

/** The kinds ConnectorClass and Connector; registration of classes, routes, what connector services send and what they get. */
export const connectorsModule = (deps: ConnectorsModuleDeps): ConnectorsModule => {
  const { store, settings } = deps;
  const writer = () => deps.writer;
  const routes = new RouteBook({ ...deps, writer });
  const registering: RegistrarDeps = {
    ...deps,
    timeoutMs: settings['limits.registerTimeout'],
    rotationMs: settings['connectors.secretRotationSeconds'],
    overlapMs: settings['connectors.secretOverlapSeconds'],
    classAccepted: (tx, classUid) => routes.classAccepted(tx, classUid),
  };
  const registrar = new Registrar(registering);
  const deliveries = deliveryParts({ ...deps, registrations: new ClassRegistrations(registering) });
  const { answers } = deliveries;
  const explaining = { ...deps, answers, limits: limitsOf(settings) };
  const ingest = new IngestService(explaining);
  const reports = {
    ...deps,
    writer,
    routes,
    reportClass: (tx: WriteTx, record: StoredResource, report: { readonly status: string; readonly reason: string }) =>
      changeClass({ deps: registering, tx }, record, (state) => ({ ...state, report })),
  };
  const bodyLimit = { bytes: settings['limits.ingestBodyMax'], setting: 'limits.ingestBodyMax' };
  return {
    kinds: [
      connectorClassContract({ ...registering, isEnvAllowed: deps.isEnvAllowed, removed: removeClass }),
      connectorContract({ ...deps, routes, removed: leaveRemains }),
    ],
    reconcilers: [registrationTrigger(registering)],
    workers: [registrar, new ConnectorRemains(store, deliveries.classDeleted), ...deliveries.workers],
    jobs: [connectorTrim({ store, pointersMs: settings['limits.pointerRetention'] }), ...deliveries.jobs],
    operations: [...connectorOperations({ ...reports, ingest, explaining, bodyLimit }), ...deliveries.operations],
    routes: [uploadRoute(deps)],
    trails: [connectorTrail],
    claims: [deliveryClaims],
    callbacks: new CallbackAuthenticator({ store, arrived: (secret) => secretArrived(registering, secret) }),
    activities: new DeliveryActivities(deps.bus),
    close: async () => {
      await registrar.close();
      await deliveries.close();
    },
  };
};

const limitsOf = (settings: ConnectorSettings) => ({
  textBytes: settings['limits.ingestTextMax'],
  attachments: settings['limits.ingestAttachmentsMax'],
  dedupeMs: settings['limits.ingestDedupeRetention'],
  botRate: settings['limits.botRate'],
});

/** A class is deleted: its secrets count no more at once, the rest goes in the background. */
const removeClass = async (tx: WriteTx, record: StoredResource): Promise<void> => {
  await forgetSecrets(tx, record.uid);
  await cancelRegistration(tx, record.uid);
  await leaveRemains(tx, record);
};
