import type { ObjectRef } from '@svc/api/data';
import { type FieldViolation, invalidFields, violation } from '../../../../base/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { Store } from '../../../../store/contracts/index.ts';

/** Largest attachment in bytes. */
export const ATTACHMENT_BYTES = 25 * 1_024 * 1_024;

export interface AttachmentDeps {
  readonly store: Pick<Store, 'direct'>;
  /** The bytes of the file of a namespace whose object has this key. */
  readonly fileObject: (namespace: string, key: string) => Promise<ObjectData | undefined>;
}

/** Where objects that an event names may be. */
export interface AttachmentPlaces {
  readonly classUid: string;
  /** Files of these namespaces: those of the class and of its connector. */
  readonly namespaces: readonly string[];
}

/**
 * The objects of an event's attachments, with what is known of them filled in. INVALID_ARGUMENT names each one that was not uploaded
 * under the registration and is not a file of the class or the connector, or that differs from what the event says of it.
 */
export const settleEventAttachments = async (
  deps: AttachmentDeps,
  places: AttachmentPlaces,
  attachments: readonly ObjectRef[],
): Promise<readonly ObjectData[]> => {
  const found: ObjectData[] = [];
  const violations: FieldViolation[] = [];
  for (const [index, given] of attachments.entries()) {
    const object = await lookUp(deps, places, given.key);
    const problem = problemOf(given, object, `attachments[${index}]`);
    if (problem !== undefined) violations.push(problem);
    else if (object !== undefined) found.push(withGivenNames(object, given));
  }
  if (violations.length > 0) throw invalidFields(violations);
  return found;
};

const lookUp = async (
  { store, fileObject }: AttachmentDeps,
  { classUid, namespaces }: AttachmentPlaces,
  key: string,
): Promise<ObjectData | undefined> => {
  if (key === '') return undefined;
  const row = await store.direct.connectorUploads.get({ classUid, objectKey: key });
  if (row !== undefined) return JSON.parse(row.body) as ObjectData;
  for (const namespace of new Set(namespaces)) {
    const object = await fileObject(namespace, key);
    if (object !== undefined) return object;
  }
  return undefined;
};

const problemOf = (given: ObjectRef, object: ObjectData | undefined, at: string): FieldViolation | undefined => {
  if (object === undefined)
    return violation(`${at}.key`, 'was not uploaded under this registration', 'ATTACHMENT_NOT_FOUND');
  if (given.sha256 !== '' && given.sha256.toLowerCase() !== object.sha256)
    return violation(`${at}.sha256`, 'is not that of the object', 'ATTACHMENT_MISMATCH');
  if (given.sizeBytes !== 0n && Number(given.sizeBytes) !== object.sizeBytes)
    return violation(`${at}.sizeBytes`, 'is not that of the object', 'ATTACHMENT_MISMATCH');
  if (object.sizeBytes > ATTACHMENT_BYTES)
    return violation(`${at}.sizeBytes`, `more than ${ATTACHMENT_BYTES} bytes`, 'TOO_LARGE');
  return undefined;
};

/** The event knows best what its attachments are called. */
const withGivenNames = (object: ObjectData, { mediaType, filename }: ObjectRef): ObjectData => ({
  ...object,
  mediaType: mediaType || object.mediaType,
  filename: filename || object.filename,
});
