/** A file that a person attaches to a message. */
export interface Attachment {
  readonly id: string;
  readonly file: File;
  /** `blob:` address of an image, for its preview; '' for other files. */
  readonly preview: string;
}

/** A request with a message may have 8 MiB, and base64 takes four bytes for three. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_FILES = 10;

/** The files of `added` that still fit a message with the sizes of `present`; `refused` says why others do not. */
export const fitting = <F extends { readonly size: number }>(
  present: readonly F[],
  added: readonly F[],
): { readonly accepted: readonly F[]; readonly refused: 'size' | 'count' | undefined } => {
  const accepted: F[] = [];
  let refused: 'size' | 'count' | undefined;
  let left = MAX_BYTES - present.reduce((sum, { size }) => sum + size, 0);
  for (const file of added) {
    if (present.length + accepted.length >= MAX_FILES) refused ??= 'count';
    else if (file.size > left) refused ??= 'size';
    else {
      accepted.push(file);
      left -= file.size;
    }
  }
  return { accepted, refused };
};

const UNITS = ['B', 'kB', 'MB', 'GB'];

/** A size for people, such as `1.4 MB`. */
export const sizeText = (bytes: number): string => {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
};

const PART_TYPES: readonly (readonly [start: string, type: string])[] = [
  ['image/', 'IMAGE'],
  ['audio/', 'AUDIO'],
  ['video/', 'VIDEO'],
];

/** The part type that a file of this media type is sent as. */
export const partTypeOf = (mediaType: string): string =>
  PART_TYPES.find(([start]) => mediaType.startsWith(start))?.[1] ?? 'FILE';
