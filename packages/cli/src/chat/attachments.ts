import { basename, resolve } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type SessionMessagePartSchema, SessionMessagePartType } from '@svc/api/data';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mediaTypeOf } from '../media-type.ts';

/** Part of a message that carries a file. */
export type Attachment = MessageInitShape<typeof SessionMessagePartSchema>;

/** Its Base64 form has to fit into one request. */
const ATTACHMENT_BYTES = 5 * 1_048_576;

const kinds = {
  image: SessionMessagePartType.IMAGE,
  audio: SessionMessagePartType.AUDIO,
  video: SessionMessagePartType.VIDEO,
} as const;

/** Reads a file into a part with a data URL, which the server stores as an object. */
export const attachmentOf = (host: Host, path: string): Attachment => {
  const bytes = host.files.readBytes(resolve(host.cwd, path));
  if (bytes === undefined) throw new CommandFailure(`there is no file ${path}`);
  if (bytes.length > ATTACHMENT_BYTES) {
    throw new CommandFailure(`${path} is larger than ${ATTACHMENT_BYTES / 1_048_576} MiB`, {
      hint: 'upload it as a file and name it in the message',
    });
  }
  const mediaType = mediaTypeOf(path);
  const [family = ''] = mediaType.split('/');
  const partType = Object.hasOwn(kinds, family) ? kinds[family as keyof typeof kinds] : SessionMessagePartType.FILE;
  const url = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { partType, name: basename(path), payloadJson: JSON.stringify({ url }) };
};
