import { Buffer } from 'node:buffer';
import { isObjectHash } from '../../contracts/index.ts';

/** A SHA-256 as the service writes it. */
export const toBase64 = (sha256: string): string => Buffer.from(sha256, 'hex').toString('base64');

/** The same back; undefined for none, and for the checksum of parts (`…-2`), which says nothing of the whole. */
export const fromBase64 = (checksum: string | undefined): string | undefined => {
  const sha256 = Buffer.from(checksum ?? '', 'base64').toString('hex');
  return isObjectHash(sha256) && toBase64(sha256) === checksum ? sha256 : undefined;
};
