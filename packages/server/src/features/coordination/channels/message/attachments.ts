import { createHash } from 'node:crypto';
import type { ObjectRef } from '@svc/api/data';
import { type FieldViolation, invalidFields } from '../../../../base/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { ChannelsDeps } from '../channels-deps.ts';

/** Largest attachment in bytes. */
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

/** The object with its true size, or what is wrong with it; found by its hash, of which the namespace must hold a reference. */
const lookUp = async (namespace: string, given: ObjectRef, deps: LookUpDeps): Promise<ObjectData | string> => {
  const { key, filename } = given;
  const mediaType = given.mediaType === '' ? 'application/octet-stream' : given.mediaType;
  const asked = { key, filename, mediaType, sizeBytes: Number(given.sizeBytes), sha256: given.sha256.toLowerCase() };
  if (asked.sha256 === '') return 'sha256 is required: it names the object';
  if (!(await deps.store.direct.objects.hasReference(namespace, asked.sha256))) return FOREIGN;
  const size = (await deps.objects.size(namespace, asked)) ?? 0;
  if (size > ATTACHMENT_BYTES) return `larger than ${ATTACHMENT_BYTES} bytes`;
  const bytes = await deps.objects.read(namespace, asked);
  if (bytes === undefined) return FOREIGN;
  const isSame = createHash('sha256').update(bytes).digest('hex') === asked.sha256;
  return isSame ? { ...asked, sizeBytes: bytes.length } : 'sha256 is not that of the object';
};
