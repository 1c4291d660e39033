/**
 * features/platform/harnesses: external agents that run turns in the place of a model: their programs, their processes in the sandbox of
 * the session, their permissions and what they ask their client for. Does not own what is recorded of a turn (runtime), leases of
 * sandboxes (features/platform/sandboxes, handed in by app) or the protocol (protocols/acp). What authors need to know: docs/acp.md.
 */
export { harnessesModule } from './harnesses-module.ts';
