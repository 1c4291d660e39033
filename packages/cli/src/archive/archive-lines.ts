import type { JsonObject } from '@bufbuild/protobuf';
import { CommandFailure } from '../failure.ts';

/** First line of an archive; later formats have another version. */
export const ARCHIVE_HEAD = { archive: 'svc/export', version: 1 } as const;

/** Label of a session that came from an archive: the id it had there. */
export const IMPORTED_LABEL = 'imported-session';

/** Label of a message whose id was taken when it was imported: the id it had in the archive. */
export const IMPORTED_MESSAGE_LABEL = 'imported-message';

/** One line of an archive after the first. Messages belong to the session before them, oldest first. */
export type ArchiveLine =
  /** `deployment` is the deployment that renders it, as `namespace/name`; the manifest includes what people added. */
  | ArchivedManifest
  | { readonly file: ArchivedFile; readonly content: string }
  | { readonly session: ArchivedSession }
  | { readonly message: JsonObject };

export interface ArchivedManifest {
  readonly manifest: JsonObject;
  readonly deployment?: string;
  /** Kept by an import if it is free; archives of earlier releases have none. */
  readonly uid?: string;
  /** Owners that are in the archive too, as references without uids, since an import may give them new ones. */
  readonly owners?: readonly JsonObject[];
}

export interface ArchivedFile {
  readonly namespace: string;
  readonly spec: JsonObject;
  /** The same as in a manifest. */
  readonly uid?: string;
}

export interface ArchivedSession {
  readonly namespace: string;
  readonly agent: string;
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What it runs with in place of what its agent says; absent where nothing is. */
  readonly overrides?: JsonObject;
}

/** True for the beginning of an archive; any other file is read as manifests. */
export const isArchive = (start: string): boolean => start.startsWith('{"archive":"svc/export"');

/** The lines after the first, one at a time. Throws CommandFailure for another version or a damaged line. */
export async function* readArchive(blob: Blob): AsyncGenerator<ArchiveLine, void, undefined> {
  let number = 0;
  for await (const text of textLines(blob)) {
    number += 1;
    const value = parseLine(text, number);
    if (number > 1) yield value as unknown as ArchiveLine;
    else if (value['version'] !== ARCHIVE_HEAD.version)
      throw new CommandFailure(`this archive has format ${String(value['version'])}`, {
        hint: `this svc reads format ${ARCHIVE_HEAD.version}`,
      });
  }
}

const parseLine = (text: string, number: number): JsonObject => {
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    throw new CommandFailure(`line ${number} of the archive is damaged`, { cause: error });
  }
};

async function* textLines(blob: Blob): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const bytes of blob.stream()) {
    const parts = decoder.decode(bytes, { stream: true }).split('\n');
    for (const part of parts.slice(0, -1)) {
      yield [...pieces, part].join('');
      pieces = [];
    }
    pieces.push(parts.at(-1) ?? '');
  }
  const last = pieces.join('');
  if (last !== '') yield last;
}
