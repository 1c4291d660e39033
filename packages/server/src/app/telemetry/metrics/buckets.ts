/** Upper bounds of histograms. */

export const REQUEST_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60];
/** From a store in memory to a disk in trouble. */
export const STORE_SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3];
/** As the GenAI conventions advise. */
export const MODEL_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** As the GenAI conventions advise. */
export const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
/** Bounds for turns, which wait for models and people. */
export const TURN_SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 180, 600, 1800];
