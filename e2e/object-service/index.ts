/**
 * object-service: an S3-compatible service as its own operating system process, for servers that keep object bytes in a
 * bucket. Knows s3rver and its folder, nothing of the product but the configuration variables. Called by s3.test.ts.
 */
export { ObjectService } from './object-service.ts';
