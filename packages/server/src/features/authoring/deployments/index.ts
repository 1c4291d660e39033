/**
 * features/authoring/deployments: Deployments and their replicas: templates rendered into every selected namespace, merged field by
 * field with what others write there, and withdrawn again. Two reconcilers do the work; the operations are those of every
 * resource. Does not know the kinds it renders: it asks their contracts. app wires it.
 */
export { deploymentsModule } from './deployments-module.ts';
