import { ContentMode } from '@svc/api/gateway';
import { FilePurpose, type File as StoredFile } from '@svc/api/resources';
import type { Client } from '@svc/client';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { allPages } from '../../api/all-pages.ts';
import { useRead, useWrite } from '../../api/use-call.ts';
import { notify } from '../../ui/notices.tsx';
import { texts } from './texts.ts';
import { storeFile } from './upload.ts';

const SHOWS = { kinds: ['File'] };

export const PURPOSES = {
  all: FilePurpose.UNSPECIFIED,
  artifact: FilePurpose.ARTIFACT,
  memory: FilePurpose.MEMORY,
  skill: FilePurpose.SKILL,
} as const;
export type PurposeName = keyof typeof PURPOSES;

/** Every file of a namespace, by path. */
export const useFiles = (ns: string, purpose: PurposeName): UseQueryResult<readonly StoredFile[]> =>
  useRead({
    key: ['ListFiles', ns, purpose],
    call: async (client, signal) => {
      const asked = { ns, purpose: PURPOSES[purpose], pageSize: 200 };
      const pages = await allPages((pageToken) => client.files.listFiles({ ...asked, pageToken }, { signal }));
      return pages.flatMap(({ files }) => files);
    },
    shows: SHOWS,
  });

/** The bytes of a file, where they are small enough to come in an answer; else undefined. */
export const useContent = (
  ns: string,
  file: StoredFile,
  isWanted: boolean,
): UseQueryResult<Uint8Array<ArrayBuffer> | null> =>
  useRead({
    key: ['ReadFile', ns, file.metadata?.name, file.status?.objectRef?.sha256],
    call: async (client, signal) => {
      const asked = { ns, name: file.metadata?.name ?? '', content: ContentMode.UNSPECIFIED };
      const { content } = await client.files.readFile(asked, { signal });
      return content.length > 0 ? new Uint8Array(content) : null;
    },
    shows: SHOWS,
    enabled: isWanted,
  });

/** A signed address of the content, which lives five minutes. */
export const downloadUrl = async (client: Client, ns: string, name: string): Promise<string> =>
  (await client.files.readFile({ ns, name, content: ContentMode.URL })).downloadUrl;

interface Uploads {
  readonly files: readonly File[];
  /** Absolute, with a slash at its end. */
  readonly folder: string;
  readonly present: readonly StoredFile[];
}

/** Stores files below a folder, one after the other; a path that is taken gets new content. */
export const useUpload = (ns: string): UseMutationResult<void, Error, Uploads> =>
  useWrite<Uploads, void>(
    async (client, { files, folder, present }) => {
      for (const file of files) {
        const path = `${folder}${file.name}`;
        await storeFile(client, { ns, path, file, present: present.find(({ spec }) => spec?.path === path) });
        notify(texts.uploaded(path));
      }
    },
    { changes: SHOWS },
  );

export const useDeleteFile = (ns: string, onDone: () => void): UseMutationResult<unknown, Error, StoredFile> =>
  useWrite<StoredFile, unknown>(
    (client, { metadata }) =>
      client.files.deleteFile({ ns, name: metadata?.name ?? '', resourceVersion: metadata?.resourceVersion ?? '' }),
    {
      changes: SHOWS,
      onDone: (_answer, { spec }) => {
        notify(texts.deleted(spec?.path ?? ''));
        onDone();
      },
    },
  );
