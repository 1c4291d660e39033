/**
 * tools: what a model can call. Owns the registry (which tools an agent is offered, schema checks) and the native tools
 * that need no other part of the product. Does not own running them, their results or permissions (runtime/tool-batch and
 * the turn engine), nor the store: a tool reaches stored data only through functions passed to its constructor.
 *
 * `app` builds the list of tools and calls `createToolRegistry({ tools, switches })` once per process; features read
 * `capabilityProblems` for condition CapabilitiesKnown. `docs` of native tools: docs/tools.md.
 */
export * from './calculate.ts';
export * from './capability-rules.ts';
export * from './capability-table.ts';
export * from './contract.ts';
export * from './current-time.ts';
export * from './goal-contract.ts';
export * from './goal-tools.ts';
export * from './read-tool-output.ts';
export * from './registry.ts';
