import { SessionMessagePartType } from '@svc/api/data';

/** A file that goes with a message. */
export interface Attachment {
  /** The same for the same file. */
  readonly key: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Most bytes of all files of a message: in Base64 they have to fit into one request of 8 MiB. */
export const MOST_BYTES = 5 * 1_048_576;

const TYPES = {
  image: SessionMessagePartType.IMAGE,
  audio: SessionMessagePartType.AUDIO,
  video: SessionMessagePartType.VIDEO,
} as const;

/** Chunk of bytes that `String.fromCharCode` takes at once. */
const CHUNK = 0x8000;

const base64Of = (bytes: Uint8Array): string => {
  const pieces = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, index) =>
    String.fromCharCode(...bytes.subarray(index * CHUNK, (index + 1) * CHUNK)),
  );
  return btoa(pieces.join(''));
};

/** The part of a message that carries the file: its bytes in a data URL, which the server stores as an object. */
export const attachmentPart = ({
  name,
  mediaType,
  bytes,
}: Omit<Attachment, 'key'>): {
  readonly partType: SessionMessagePartType;
  readonly name: string;
  readonly payloadJson: string;
} => {
  const [family = ''] = mediaType.split('/');
  const partType = Object.hasOwn(TYPES, family) ? TYPES[family as keyof typeof TYPES] : SessionMessagePartType.FILE;
  const url = `data:${mediaType || 'application/octet-stream'};base64,${base64Of(bytes)}`;
  return { partType, name, payloadJson: JSON.stringify({ url }) };
};

/** The files with those that are not among them yet. */
export const withFiles = (files: readonly Attachment[], added: readonly Attachment[]): readonly Attachment[] => [
  ...files,
  ...added.filter(({ key }) => !files.some((file) => file.key === key)),
];
