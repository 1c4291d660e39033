import { PeerFailure } from '../../../protocols/a2a/client-contract.ts';
import type { PeerPart } from '../../../protocols/a2a/contract.ts';
import type { ObjectAccess, ObjectData } from '../../../runtime/contract.ts';
import type { SentFile } from './remote-rules.ts';

export interface PeerFilesDeps {
  readonly objects: Pick<ObjectAccess, 'read'>;
  /** Signed path of the server to an object, good for some minutes. */
  readonly links: { link(namespace: string, object: ObjectData): string };
  /** Where this server is reached, without a trailing slash. */
  readonly baseUrl: () => string;
}

/** Files of a message as they leave: read, or linked to, at the time of sending. Throws PeerFailure of one that is gone. */
export const fileParts = async (
  { objects, links, baseUrl }: PeerFilesDeps,
  namespace: string,
  files: readonly SentFile[],
): Promise<readonly PeerPart[]> => {
  const parts: PeerPart[] = [];
  for (const { object, as } of files) {
    const { mediaType, filename } = object;
    if (as === 'link') {
      parts.push({ kind: 'url', url: `${baseUrl()}${links.link(namespace, object)}`, mediaType, filename });
      continue;
    }
    const bytes = await objects.read(namespace, object);
    if (bytes === undefined) throw new PeerFailure('refused', `the artifact ${filename} of the message is gone`);
    parts.push({ kind: 'bytes', bytes, mediaType, filename });
  }
  return parts;
};
