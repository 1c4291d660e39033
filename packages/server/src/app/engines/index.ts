/**
 * app/engines: opens what the configuration names: store, object bytes, bus and the keys of secrets, behind one lock of the data
 * directory. Starts nothing and knows no feature but the keys. Called by wiring.
 */
export { type Engines, openEngines, type ServerHost } from './open-engines.ts';
