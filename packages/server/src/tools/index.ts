/**
 * tools: what a model can call. Owns the registry (which tools an agent is offered, schema checks) and the native tools
 * that need no other part of the product. Does not own running them, their results or permissions (runtime/steps),
 * nor the store: a tool reaches stored data only through functions passed to its constructor.
 *
 * `app` builds the list of tools and creates the registry once per process; the agents feature receives `capabilityProblems` for
 * its condition CapabilitiesKnown. What each native tool does for a model: docs/tools.md.
 */
export * from './ask-user.ts';
export * from './calculate.ts';
export * from './capability-rules.ts';
export * from './contract.ts';
export * from './current-time.ts';
export * from './goal-contract.ts';
export * from './goal-tools.ts';
export * from './read-tool-output.ts';
export * from './registry.ts';
export * from './research/index.ts';
