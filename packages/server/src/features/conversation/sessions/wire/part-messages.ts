import { create } from '@bufbuild/protobuf';
import { ObjectRefSchema, type SessionMessagePart } from '@svc/api/data';
import type { ObjectData, Part } from '../../../../runtime/contract.ts';

/** A stored or streamed part as the wire shows it; continuation data stays inside. */
export const partMessage = (part: Part): SessionMessagePart => ({
  $typeName: 'svc.data.SessionMessagePart',
  id: part.id,
  partType: part.type as number,
  content: part.content ?? '',
  name: part.name ?? '',
  payloadJson: part.payload === undefined ? '' : JSON.stringify(part.payload),
  createdAt: BigInt(part.createdAt),
  ...(part.object === undefined ? {} : { object: objectMessage(part.object) }),
});

/** What names stored bytes on the wire. */
export const objectMessage = (object: ObjectData): NonNullable<SessionMessagePart['object']> =>
  create(ObjectRefSchema, {
    key: object.key,
    mediaType: object.mediaType,
    sizeBytes: BigInt(object.sizeBytes),
    sha256: object.sha256,
    filename: object.filename,
  });
