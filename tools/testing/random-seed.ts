import process from 'node:process';
import fc from 'fast-check';

/**
 * Property tests draw from one seed, so that a run on another machine sees the same cases. `SVC_TEST_SEED` takes another one: a
 * number to repeat a finding, or `random` to look for new ones; `all` is for sweeps that are sampled on PostgreSQL, which then
 * take every case.
 */
const FIXED_SEED = 20_261_121;

const asked = process.env['SVC_TEST_SEED']?.replace('all', '');
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: asked ? Number(asked) : FIXED_SEED });
