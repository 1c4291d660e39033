import type { AppendAudit, KindContract, Reconciler, ResourceWriter } from '../../controllers/index.ts';
import {
  deploymentContracts,
  deploymentControllers,
  type PlacementScope,
} from '../../features/authoring/deployments/index.ts';
import type { NamespaceDirectory } from '../../features/authoring/namespaces/index.ts';
import type { Config } from '../config/index.ts';
import type { Engines } from './engines.ts';
import { labelLimits } from './label-limits.ts';

/** Deployments and their replicas. */
export const deploymentKinds = (
  config: Config,
  ancestorsOf: (namespace: string) => readonly string[],
  placement: PlacementScope,
): readonly KindContract[] => deploymentContracts({ ancestorsOf, labelLimits: labelLimits(config), placement });

export interface DeploymentNeeds {
  readonly config: Config;
  readonly engines: Engines;
  readonly writer: ResourceWriter;
  readonly audit: AppendAudit;
  readonly directory: NamespaceDirectory;
  readonly contractOf: (kind: string) => KindContract | undefined;
}

/** What renders templates into namespaces and takes them back. */
export const deploymentMachinery = (needs: DeploymentNeeds): readonly Reconciler[] => {
  const { config, engines, writer, audit, directory: namespaces, contractOf } = needs;
  const { store, log, secretKeys } = engines;
  const { ring } = secretKeys;
  const { settings } = config;
  return deploymentControllers({
    store,
    writer,
    audit,
    namespaces,
    contractOf,
    seal: ring,
    hash: ring,
    log,
    limits: {
      replicas: settings['limits.deploymentReplicasMax'],
      objectBytes: settings['limits.renderedObjectMax'],
      concurrency: settings['limits.renderConcurrency'],
    },
  });
};
