/**
 * testing: worlds in memory and sample values for the tests of config.
 */
export { faultsOf, load, settingsOf } from './config-fixture.ts';
export { NO_TEXT, sampleOf } from './key-samples.ts';
