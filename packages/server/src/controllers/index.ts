/**
 * controllers: the contract a kind of resource fulfils, the one write pipeline (`resource-writer.ts`), and the machinery that
 * drives observed state towards desired state: change feed, reconcile loops, durable work queue, garbage collection. Knows no
 * concrete kind. Features bring contracts and reconcilers and see only the contract files; app wires the rest.
 */
export * from './contract.ts';
export { contractTable } from './contract-table.ts';
export * from './facade-contract.ts';
export * from './garbage-collector.ts';
export * from './kind-facade.ts';
export * from './queues/index.ts';
export * from './reconciling/index.ts';
export * from './reseal-worker.ts';
export * from './resource-removal.ts';
export * from './resource-writer.ts';
