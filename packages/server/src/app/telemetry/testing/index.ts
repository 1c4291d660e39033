/** app/telemetry/testing: an OTLP receiver and a place for log lines, for tests of what leaves the process. */
export { OtlpReceiver } from './otlp-receiver.ts';
