/**
 * config: the settings of one process. Owns the table of keys, where values come from and which one wins, the
 * checks before anything is opened, and the reference in docs/configuration.md. It opens nothing and starts nothing;
 * main loads it once and app passes its sections to the parts. The only place that reads the environment.
 */
export type { Config, TlsFiles } from './config.ts';
export { connectorVariables } from './connector-variables.ts';
export { clientUrl } from './listen-address.ts';
export {
  ConfigError,
  configurationFacts,
  configurationValues,
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
} from './load-config.ts';
export type { ConfigFault } from './located.ts';
