import { Fault } from '../../../base/index.ts';

/** Why an upload is refused: it is not known or no longer open, too late, not signed for, or its bytes are not there or wrong. */
type UploadCause = 'unknown' | 'expired' | 'signature' | 'empty' | 'size' | 'hash';

const TEXTS: Readonly<Record<UploadCause, string>> = {
  unknown: 'no such upload is open',
  expired: 'the upload has expired: prepare it again',
  signature: 'the link is not signed for this upload',
  empty: 'no bytes have been uploaded yet',
  size: 'the bytes have another size than announced',
  hash: 'the bytes have another SHA-256 than announced',
};

/** FAILED_PRECONDITION UPLOAD_INVALID with the cause. */
export const uploadInvalid = (cause: UploadCause): Fault =>
  new Fault('FAILED_PRECONDITION', 'UPLOAD_INVALID', TEXTS[cause], { metadata: { cause } });

/** RESOURCE_EXHAUSTED TOO_LARGE. */
export const tooLarge = (what: string, limitBytes: number): Fault =>
  new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', `${what} has more than ${limitBytes} bytes`, {
    metadata: { limit_bytes: String(limitBytes) },
  });
