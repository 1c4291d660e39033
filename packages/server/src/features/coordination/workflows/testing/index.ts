export * from './random-flows.ts';
export * from './run-world.ts';
export * from './scripted-agents.ts';
