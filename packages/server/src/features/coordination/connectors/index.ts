/**
 * features/coordination/connectors: connector classes and connectors as resources: their rules, the routes a connector wants, and what can
 * be known about both without talking to the outside. Registers no connector, takes no events and delivers
 * nothing. app wires the contracts
 * and the operations, of which none is served yet.
 */
export { connectorsModule } from './connectors-module.ts';
export { deliveryTurns } from './delivery-parts.ts';
