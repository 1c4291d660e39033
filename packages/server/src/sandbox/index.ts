/**
 * sandbox: places where foreign code runs. Owns the providers (`local`: a process jail by bubblewrap; `docker`:
 * containers of an engine on this machine; `e2b` and `daytona`: at a hosted service; `demo`: in memory) and the
 * proxy through which sandboxes reach allowed hosts. Does not own who may use which sandbox, leases, quotas and stored state
 * (features/platform/sandboxes). `app` makes the providers and hands them to that feature. What operators need to know:
 * docs/sandboxes.md.
 */
export type * from './contract.ts';
export { DemoProvider } from './demo/index.ts';
export { DockerKind } from './docker/index.ts';
export { HostedKind } from './hosted/index.ts';
export { InstanceName } from './instance-name.ts';
export { LocalProvider } from './local/index.ts';
