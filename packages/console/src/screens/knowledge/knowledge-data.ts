import type { KnowledgeSearchResult } from '@svc/api/data';
import type { Knowledge } from '@svc/api/resources';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { allPages } from '../../api/all-pages.ts';
import { useRead, useWrite } from '../../api/use-call.ts';
import { notify } from '../../ui/notices.tsx';
import { texts } from './texts.ts';

const SHOWS = { kinds: ['Knowledge'] };

/** A document as a list names it. */
export interface DocumentName {
  readonly name: string;
  readonly path: string;
}

/** Every document of a namespace itself, by path. */
export const useDocuments = (ns: string): UseQueryResult<readonly DocumentName[]> =>
  useRead({
    key: ['ListNamespaceKnowledge', ns],
    call: async (client, signal) => {
      const asked = { ns, pageSize: 200 };
      const pages = await allPages((pageToken) =>
        client.gateway.listNamespaceKnowledge({ ...asked, pageToken }, { signal }),
      );
      return pages.flatMap(({ knowledge }) =>
        knowledge.map(({ metadata, spec }) => {
          const name = metadata?.name ?? '';
          return { name, path: spec?.path || name };
        }),
      );
    },
    shows: SHOWS,
  });

export const useDocument = (ns: string, name: string): UseQueryResult<Knowledge | undefined> =>
  useRead({
    key: ['GetNamespaceKnowledge', ns, name],
    call: async (client, signal) => (await client.gateway.getNamespaceKnowledge({ ns, name }, { signal })).knowledge,
    shows: SHOWS,
    enabled: name !== '',
  });

interface Writing {
  readonly path: string;
  readonly content: string;
  /** That must still be stored; '' for a new document. */
  readonly version: string;
  /** What is replaced; undefined for a new document. */
  readonly before: Knowledge | undefined;
}

/** Writes a document; one that exists keeps its name, labels and annotations, and is refused when somebody else wrote it meanwhile. */
export const useWriteDocument = (
  ns: string,
  onDone: (path: string) => void,
): UseMutationResult<unknown, Error, Writing> =>
  useWrite<Writing, unknown>(
    (client, { path, content, version, before }) => {
      const { name = path, labels = {}, annotations = {} } = before?.metadata ?? {};
      const metadata = { name, namespace: ns, labels, annotations, resourceVersion: version };
      return client.gateway.createNamespaceKnowledge({ ns, knowledge: { metadata, spec: { path, content } } });
    },
    {
      changes: SHOWS,
      onDone: (_answer, { path }) => {
        notify(texts.saved(path));
        onDone(path);
      },
    },
  );

export const useDeleteDocument = (ns: string, onDone: () => void): UseMutationResult<unknown, Error, DocumentName> =>
  useWrite<DocumentName, unknown>((client, { name }) => client.gateway.deleteNamespaceKnowledge({ ns, name }), {
    changes: SHOWS,
    onDone: (_answer, { path }) => {
      notify(texts.deleted(path));
      onDone();
    },
  });

/** What an agent would find, best first. */
export const useKnowledgeSearch = (
  ns: string,
  agent: string,
  query: string,
): UseQueryResult<readonly KnowledgeSearchResult[]> =>
  useRead({
    key: ['SearchKnowledge', ns, agent, query],
    call: async (client, signal) =>
      (await client.gateway.searchKnowledge({ ns, agent, query, limit: 20 }, { signal })).results,
    shows: SHOWS,
    enabled: agent !== '' && query.trim() !== '',
  });
