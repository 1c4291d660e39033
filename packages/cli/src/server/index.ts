/**
 * server: commands about a server on this machine: starting one, its configuration. The server package itself
 * is loaded only when a command needs it.
 */
export { type ConfigOptions, checkConfig, initConfig, showConfig } from './config.ts';
export { type ServeOptions, serve, type UpOptions, up } from './up.ts';
