import { createHash } from 'node:crypto';
import type { ObjectRef } from '@svc/api/data';
import { type FieldViolation, invalidFields } from '../../../base/index.ts';
import type { ObjectData } from '../../../runtime/contract.ts';
import type { ChannelsDeps } from '../channels-deps.ts';

/** Largest attachment in bytes (RT-2.10). */
const ATTACHMENT_BYTES = 25 * 1024 * 1024;
const FOREIGN = 'object is not in this namespace';

type LookUpDeps = Pick<ChannelsDeps, 'objects' | 'store'>;

/** Looks the attachments of a post up before its transaction; every one that is not in the namespace is a field fault. */
export const settleAttachments = async (
  namespace: string,
  attachments: readonly ObjectRef[],
  deps: LookUpDeps,
): Promise<readonly ObjectData[]> => {
  const found: ObjectData[] = [];
  const violations: FieldViolation[] = [];
  for (const [index, attachment] of attachments.entries()) {
    const result = await lookUp(namespace, attachment, deps);
    if (typeof result !== 'string') found.push(result);
    else violations.push({ field: `attachments[${index}]`, description: result, reason: 'FIELD_INVALID' });
  }
  if (violations.length > 0) throw invalidFields(violations);
  return found;
};

/** The object with its true size and hash, or what is wrong with it; who knows a hash gets nothing of another namespace. */
const lookUp = async (namespace: string, given: ObjectRef, deps: LookUpDeps): Promise<ObjectData | string> => {
  const { key, filename } = given;
  const mediaType = given.mediaType === '' ? 'application/octet-stream' : given.mediaType;
  const asked = { key, filename, mediaType, sizeBytes: Number(given.sizeBytes), sha256: given.sha256.toLowerCase() };
  const isHeld = (hash: string): Promise<boolean> => deps.store.direct.objects.hasReference(namespace, hash);
  const size = (await deps.objects.size(namespace, asked)) ?? 0;
  if (size > ATTACHMENT_BYTES) return (await isHeld(asked.sha256)) ? `larger than ${ATTACHMENT_BYTES} bytes` : FOREIGN;
  const bytes = await deps.objects.read(namespace, asked);
  if (bytes === undefined) return FOREIGN;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (asked.sha256 !== '' && asked.sha256 !== sha256) return 'sha256 is not that of the object';
  return (await isHeld(sha256)) ? { ...asked, sizeBytes: bytes.length, sha256 } : FOREIGN;
};
