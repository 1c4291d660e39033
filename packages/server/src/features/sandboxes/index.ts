/**
 * features/sandboxes: sandbox classes, policies and sandboxes as resources, and the one rule of mount paths (RT-8.6). Runs no
 * sandbox: backends, leases and setup are another part's. app wires the contracts; whoever mounts asks mountPathProblem.
 */

export { type SandboxKindDeps, sandboxContracts } from './sandbox-kinds.ts';
