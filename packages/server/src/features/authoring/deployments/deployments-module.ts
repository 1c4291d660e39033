import { type LabelSettings, labelLimits } from '../../../resources/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { deploymentControllers } from './deployment-controllers.ts';
import { type DeploymentKindDeps, deploymentContracts } from './deployment-kind.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { PlacementScope } from './placement/index.ts';

interface DeploymentsModuleDeps extends Omit<DeploymentsDeps, 'limits'>, Pick<DeploymentKindDeps, 'ancestorsOf'> {
  readonly settings: LabelSettings & {
    readonly 'limits.deploymentReplicasMax': number;
    /** In bytes. */
    readonly 'limits.renderedObjectMax': number;
    readonly 'limits.renderConcurrency': number;
  };
}

interface DeploymentsModule extends FeatureModule {
  /** Who may delete and change what deployments render from and into. */
  readonly placement: PlacementScope;
}

/** Deployments and their replicas, and what renders templates into namespaces and takes them back. */
export const deploymentsModule = (deps: DeploymentsModuleDeps): DeploymentsModule => {
  const { settings } = deps;
  const placement = new PlacementScope(deps);
  return {
    kinds: deploymentContracts({ ...deps, placement, labelLimits: labelLimits(settings) }),
    reconcilers: deploymentControllers({
      ...deps,
      limits: {
        replicas: settings['limits.deploymentReplicasMax'],
        objectBytes: settings['limits.renderedObjectMax'],
        concurrency: settings['limits.renderConcurrency'],
      },
    }),
    placement,
  };
};
