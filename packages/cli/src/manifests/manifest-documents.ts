import { resolve } from 'node:path';
import type { GlobalOptions } from '../connection.ts';
import { resolveTarget } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import type { Host, ManifestModule } from '../host.ts';
import { takeContentPath } from './file-contents.ts';
import { type ManifestSource, readSources } from './manifest-sources.ts';
import { readVariables, type VariableOptions } from './variables.ts';

export interface ManifestOptions extends GlobalOptions, VariableOptions {
  readonly filename?: readonly string[];
  /** Documents may name the uid of a new resource, for an import. */
  readonly keepsUids?: boolean;
}

type Parsed = ReturnType<ManifestModule['parseManifests']>['documents'][number];

/** One document with the file it came from. */
export interface LocalDocument {
  readonly label: string;
  readonly document: Parsed;
  /** Absolute path of the bytes of a File, where `contentFromFile` named it. */
  readonly contentPath?: string;
  /** `file:line:column` of a field. */
  readonly place: (field: string) => string;
}

/** `file:line:column: subject: path: text (REASON)`. */
interface LocalFinding {
  readonly place: string;
  readonly subject: string;
  readonly field: string;
  readonly description: string;
  readonly reason: string;
}

export interface LoadedManifests {
  readonly documents: readonly LocalDocument[];
  readonly findings: readonly LocalFinding[];
  readonly namespace: string;
}

/**
 * Reads, renders and checks every manifest that the options name; makes no call. With `isByName` only names matter, as for a
 * delete: files with texts and bytes that a manifest refers to may be gone, and are not read.
 */
export const loadManifests = async (
  host: Host,
  options: ManifestOptions,
  { isByName = false }: { readonly isByName?: boolean } = {},
): Promise<LoadedManifests> => {
  const module = await host.loadManifests();
  const sources = await readSources(host, options.filename ?? []);
  const vars = await readVariables(host, options);
  const { namespace } = resolveTarget(host, options);
  const isNamespaceFixed = options.namespace !== undefined;
  const documents: LocalDocument[] = [];
  const findings: LocalFinding[] = [];
  for (const source of sources) {
    const texts = isByName
      ? { file: () => new TextEncoder().encode(UNREAD), variable: () => UNREAD }
      : outsideTexts(host, source);
    const contentPaths = new Map<unknown, string>();
    const isFile = (path: string): boolean =>
      isByName || host.files.facts(resolve(source.directory, path))?.isDirectory === false;
    const parsed = module.parseManifests(source.text, {
      namespace,
      isNamespaceFixed,
      keepsUids: options.keepsUids === true,
      prepare: (read, report) => {
        // Names of files may contain variables; the contents of files and the environment are used unchanged.
        const rendered = module.renderVariables(read, vars, report);
        const { node, path } = takeContentPath(module.fillFromFiles(rendered, texts, report), isFile, report);
        if (path !== undefined) contentPaths.set(node, resolve(source.directory, path));
        return node;
      },
    });
    const subjects = new Map(parsed.documents.map((document) => [document.index, subjectOf(document)]));
    for (const document of parsed.documents) {
      const contentPath = contentPaths.get(document.node);
      const local = localDocument(source.label, document);
      documents.push(contentPath === undefined ? local : { ...local, contentPath });
    }
    for (const { document, line, column, field, description, reason } of parsed.findings)
      findings.push({
        place: `${source.label}:${line}:${column}`,
        subject: subjects.get(document) ?? '',
        field,
        description,
        reason,
      });
  }
  return { documents, findings: [...findings, ...repeatedAcross(documents)], namespace };
};

/** Takes the place of a text that is not read; not empty, because some fields may not be empty. */
const UNREAD = '-';

const outsideTexts = (host: Host, source: ManifestSource) => ({
  file: (path: string): Uint8Array | undefined => {
    const absolute = resolve(source.directory, path);
    return host.files.facts(absolute)?.isDirectory === false ? host.files.readBytes(absolute) : undefined;
  },
  variable: (name: string): string | undefined => host.environment[name],
});

const localDocument = (label: string, document: Parsed): LocalDocument => ({
  label,
  document,
  place: (field) => {
    const { line, column } = document.report.positionOf(field);
    return `${label}:${line}:${column}`;
  },
});

const subjectOf = ({ kind, namespace, name }: Parsed): string =>
  [kind, namespace, name].filter((part) => part !== '').join('/');

/** Reports the same resource in two files. */
const repeatedAcross = (documents: readonly LocalDocument[]): readonly LocalFinding[] => {
  const seen = new Map<string, string>();
  return documents.flatMap(({ label, document, place }) => {
    if (document.resource === undefined) return [];
    const key = JSON.stringify(document.resource.key);
    const first = seen.get(key);
    if (first === undefined || first === label) {
      seen.set(key, label);
      return [];
    }
    const field = 'metadata.name';
    const description = `is in ${first} too`;
    return [{ place: place(field), subject: subjectOf(document), field, description, reason: 'DUPLICATE_DOCUMENT' }];
  });
};

/** An error in one line. */
const findingLine = ({ place, subject, field, description, reason }: LocalFinding): string =>
  [place, subject, field, `${description} (${reason})`].filter((part) => part !== '').join(': ');

/** Ends the command if anything is wrong, and lists all of it below the outcome. */
export const requireNoFindings = ({ findings }: LoadedManifests, outcome: string): void => {
  if (findings.length > 0) throw new CommandFailure([`${outcome}:`, ...findings.map(findingLine)].join('\n'));
};

/** The documents as text for ApplyManifests, one on each line. */
export const manifestText = async (host: Host, documents: readonly LocalDocument[]): Promise<string> => {
  const { nodeJson } = await host.loadManifests();
  return documents.map(({ document }) => `--- ${JSON.stringify(nodeJson(document.node))}\n`).join('');
};
