/**
 * features/platform/sandboxes: sandbox classes, policies and sandboxes as resources, and the one rule of mount paths
 * (`mount-path-rules.ts`). Runs no sandbox: there are no backends yet. app wires the contracts.
 */
export { sandboxesModule } from './sandboxes-module.ts';
