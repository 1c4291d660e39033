/**
 * features/platform/sandboxes: sandbox classes, policies and sandboxes as resources; who may use which sandbox and for how long
 * (leases with tokens, quotas, idle and lost ones), their setup, and the tools that models use them with. Does not run anything
 * itself: the providers of `sandbox/` do, which app hands in. The one rule of mount paths is `mount-path-rules.ts`.
 */
export { sandboxesModule } from './sandboxes-module.ts';
