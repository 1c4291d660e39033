import type { SessionMessagePart } from '@svc/api/data';
import type { SessionKey } from '@svc/client';
import { isPixelPicture } from '../../../ui/pixel-picture.ts';

const MIB = 1_048_576;
/** Largest picture that is loaded without being asked for, in bytes. */
const PICTURE_MAX = 10 * MIB;
/** Largest file that a download may keep in the memory of the page, in bytes. */
const DOWNLOAD_MAX = 256 * MIB;

/**
 * What a person is offered of a file: `picture` to see and save it, `download` only to save it; nothing while the message is `unfinished`,
 * where the bytes are `absent`, or when they are `tooLarge`.
 */
export type MediaOffer = 'picture' | 'download' | 'unfinished' | 'absent' | 'tooLarge';

/** By what the server says of the bytes, never by the name of the file, which its sender chose. */
export const mediaOffer = ({ object }: Pick<SessionMessagePart, 'object'>, isLive: boolean): MediaOffer => {
  if (object === undefined) return 'absent';
  // The server hands out parts of stored messages only.
  if (isLive) return 'unfinished';
  if (object.sizeBytes > DOWNLOAD_MAX) return 'tooLarge';
  return isPixelPicture(object.mediaType) && object.sizeBytes <= PICTURE_MAX ? 'picture' : 'download';
};

/** The name to show, and to save the file under. */
export const mediaName = ({ name, object }: Pick<SessionMessagePart, 'name' | 'object'>): string =>
  name || object?.filename || object?.mediaType || 'file';

/** A part of a stored message. */
export interface PartPlace extends SessionKey {
  readonly messageId: string;
  readonly partId: string;
}

/** Where the server has the bytes of a part. */
export const contentPath = ({ ns, agent, sessionId, messageId, partId }: PartPlace): string => {
  const [namespace, name, session, message, part] = [ns, agent, sessionId, messageId, partId].map(encodeURIComponent);
  return `/v1/ns/${namespace}/agents/${name}/sessions/${session}/messages/${message}/parts/${part}/content`;
};
