import type { AppendAudit, KindContract, Reconciler, ResourceWriter } from '../../controllers/index.ts';
import { deploymentContracts, deploymentControllers } from '../../features/deployments/index.ts';
import type { NamespaceDirectory } from '../../features/namespaces/index.ts';
import type { Engines } from './engines.ts';

/** Deployments and their replicas. */
export const deploymentKinds = (ancestorsOf: (namespace: string) => readonly string[]): readonly KindContract[] =>
  deploymentContracts({ ancestorsOf });

export interface DeploymentNeeds {
  readonly engines: Engines;
  readonly writer: ResourceWriter;
  readonly audit: AppendAudit;
  readonly directory: NamespaceDirectory;
  readonly contractOf: (kind: string) => KindContract | undefined;
}

/** What renders templates into namespaces and takes them back. */
export const deploymentMachinery = (needs: DeploymentNeeds): readonly Reconciler[] => {
  const { engines, writer, audit, directory: namespaces, contractOf } = needs;
  const { store, log, secretKeys } = engines;
  const { ring } = secretKeys;
  return deploymentControllers({
    store,
    writer,
    audit,
    namespaces,
    contractOf,
    seal: ring,
    hash: ring,
    log,
  });
};
