/**
 * app/testing: the whole server in this process, on a directory of its own, with a clock that can stop the demo model at a
 * named place; and the API as a caller with curl sees it. Holds no expectations. Called by the tests of app, which prove what
 * calls promise through the real port.
 */
export { answerLines } from './answer-lines.ts';
export { AppUnderTest } from './app-under-test.ts';
export { CLUSTER_KEY, ConnectorBench } from './connector-bench.ts';
export { ConnectorServiceUnderTest } from './connector-service.ts';
export { EventReader, type PartEvent, shapeOf } from './event-reader.ts';
export { gate } from './gate-clock.ts';
export { KIND_SAMPLES } from './kind-samples.ts';
export { type Answer, reasonOf } from './rest-client.ts';
