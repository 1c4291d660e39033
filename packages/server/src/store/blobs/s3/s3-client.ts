import { S3Client } from '@aws-sdk/client-s3';

/** How the bucket is reached. */
export interface S3Connection {
  readonly region: string;
  /** Buckets are named in the path then; undefined = the service of the region. */
  readonly endpoint?: string | undefined;
  /** Both or none: without them the client looks where AWS programs look (environment, profile, container, machine). */
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
  /** Milliseconds that a connection, or a check of the bucket, may take; default CONNECT_MS. */
  readonly connectMs?: number | undefined;
  /** Milliseconds without a byte, in either direction, after which a request has failed; default 60 s. */
  readonly idleMs?: number | undefined;
}

/** Tries of one request, the first one counted; the client waits longer before each. */
export const TRIES = 3;
/** Longest time to connect to the object service. */
export const CONNECT_MS = 5_000;
const IDLE_MS = 60_000;

/** The client would write to the console by itself: what matters of its failures is in the faults they become. */
const silent = (): void => undefined;
const SILENT = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };

/**
 * A client of the S3 protocol. It adds checksums only where we name them, so that services which know none of them work;
 * what we store is named by its hash and checked when it is read.
 */
export const openS3Client = (connection: S3Connection): S3Client => {
  const { region, endpoint, accessKey, secretKey, connectMs = CONNECT_MS, idleMs = IDLE_MS } = connection;
  return new S3Client({
    region,
    logger: SILENT,
    maxAttempts: TRIES,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // No limit on a whole request: how long one may take depends on the size of its body.
    requestHandler: { connectionTimeout: connectMs, socketTimeout: idleMs },
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(accessKey === undefined || secretKey === undefined
      ? {}
      : { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } }),
  });
};
