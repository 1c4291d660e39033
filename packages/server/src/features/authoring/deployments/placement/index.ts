/**
 * features/authoring/deployments/placement: whose rights a change needs of what deployments render from it. Only reads, in the transaction
 * of the change. The kinds of deployments, replicas, templates and namespaces call it.
 */
export { PlacementScope } from './placement-scope.ts';
