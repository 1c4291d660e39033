import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Fault } from '../base/index.ts';
import type { TransportConfig } from '../transport/contract.ts';
import type { TlsFiles } from './config/index.ts';

/**
 * What the files of `server.tls.*` hold now. Fault FAILED_PRECONDITION TLS_UNUSABLE for one that cannot be read, and for two
 * that are not a certificate with its key.
 */
export const readTls = (files: TlsFiles): NonNullable<TransportConfig['tls']> => {
  const texts = { cert: textOf('cert', files.cert), key: textOf('key', files.key) };
  try {
    createSecureContext(texts);
  } catch (error) {
    throw unusable(`server.tls: ${files.cert} and ${files.key} are not a certificate with its key in PEM form`, error);
  }
  return texts;
};

const textOf = (name: keyof TlsFiles, path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(`server.tls.${name}: ${path} cannot be read`, error);
  }
};

const unusable = (what: string, cause: unknown): Fault =>
  new Fault(
    'FAILED_PRECONDITION',
    'TLS_UNUSABLE',
    `${what}: ${cause instanceof Error ? cause.message : String(cause)}`,
    {
      cause,
    },
  );
