/**
 * sandbox: places where foreign code runs. Owns the providers (`local`: a process jail by bubblewrap; `demo`: in memory) and the
 * proxy through which sandboxes reach allowed hosts. Does not own who may use which sandbox, leases, quotas and stored state
 * (features/platform/sandboxes). `app` makes the providers and hands them to that feature. What operators need to know:
 * docs/sandboxes.md.
 */
export * from './contract.ts';
export { DemoProvider } from './demo/demo-provider.ts';
export { type EgressGate, openEgress } from './egress/egress-proxy.ts';
export { LocalProvider } from './local/local-provider.ts';
