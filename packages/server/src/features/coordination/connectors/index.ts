/**
 * features/coordination/connectors: connector classes and connectors: their rules, the registration of classes with their services, the
 * routes that connectors hold, and the messages of platforms that services send, up to the turn, the channel message or the run that
 * each becomes, and the answers that go back. app wires the module and has the hooks of `deliveryTurns` run; channels and workflows
 * satisfy what `consumers` needs of them.
 */
export { connectorsModule } from './connectors-module.ts';
export { deliveryTurns } from './delivery-parts.ts';
