import { create } from '@bufbuild/protobuf';
import { ObjectRefSchema, type SessionMessagePart, SessionMessagePartSchema } from '@svc/api/data';
import type { ObjectData, Part } from '../../../runtime/contract.ts';

/** A stored or streamed part as the wire shows it; continuation data stays inside (RT-R23). */
export const partMessage = (part: Part): SessionMessagePart => {
  const message = create(SessionMessagePartSchema);
  message.id = part.id;
  message.partType = part.type as number;
  message.content = part.content ?? '';
  message.name = part.name ?? '';
  message.payloadJson = part.payload === undefined ? '' : JSON.stringify(part.payload);
  message.createdAt = BigInt(part.createdAt);
  if (part.object !== undefined) message.object = objectMessage(part.object);
  return message;
};

const objectMessage = (object: ObjectData): NonNullable<SessionMessagePart['object']> =>
  create(ObjectRefSchema, {
    key: object.key,
    mediaType: object.mediaType,
    sizeBytes: BigInt(object.sizeBytes),
    sha256: object.sha256,
    filename: object.filename,
  });
