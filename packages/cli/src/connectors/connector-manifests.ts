import { stringify } from 'yaml';
import type { ConnectorsModule } from '../host.ts';

interface ManifestFacts {
  readonly connector: ConnectorsModule['shippedConnectors'][number];
  readonly className: string;
  readonly endpoint: string;
  /** Where the server finds the key. */
  readonly apiKey: { readonly env: string } | { readonly plain: string };
}

/** The ConnectorClass of a running connector. */
export const classManifest = (facts: ManifestFacts, annotations: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'svc/v1',
  kind: 'ConnectorClass',
  metadata: { name: facts.className, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
  spec: {
    platform: facts.connector.name,
    runtime: { endpoint: facts.endpoint },
    auth: { apiKey: facts.apiKey },
    matchIndexes: facts.connector.matchIndexes.map(({ name, fields }) => ({ name, fields: [...fields] })),
  },
});

/** A Connector that hands the messages with the match fields to an agent, one session for each conversation or thread. */
export const connectorManifest = (
  facts: ManifestFacts,
  route: { readonly agent: string; readonly matchFields: Readonly<Record<string, string>> },
) => ({
  apiVersion: 'svc/v1',
  kind: 'Connector',
  metadata: { name: `${facts.className}-${route.agent}` },
  spec: {
    classRef: facts.className,
    matchFields: { ...route.matchFields },
    consumer: { session: { agent: route.agent, continuity: 'reuse', replyMode: 'thread' } },
  },
});

/** Match fields to fill in: those of the widest index. */
export function exampleMatchFields({ matchIndexes }: ManifestFacts['connector']): Record<string, string> {
  const [widest] = matchIndexes.toSorted((left, right) => left.fields.length - right.fields.length);
  return Object.fromEntries((widest?.fields ?? []).map((field) => [field, field.toUpperCase()]));
}

/** Several documents as YAML. */
export const yamlOf = (...documents: readonly object[]): string =>
  documents.map((document) => stringify(document)).join('---\n');
