import type { DeploymentSpec, Namespace } from '@svc/api/resources';

/** Which namespaces a deployment looks at, and the labels that they need. */
export interface Selection {
  readonly parent: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The selection of a deployment that lives in the namespace `ns`. */
export const selectionOf = ({ placement }: Pick<DeploymentSpec, 'placement'>, ns: string): Selection => {
  const { parent = '', matchLabels = {} } = placement?.namespaceSelector ?? {};
  return { parent: parent === '' ? ns : parent, labels: matchLabels };
};

/** Labels that the namespace lacks or has with another value; empty when it fits. */
export const unfitLabels = ({ metadata }: Pick<Namespace, 'metadata'>, { labels }: Selection): readonly string[] =>
  Object.entries(labels)
    .filter(([key, value]) => metadata?.labels[key] !== value)
    .map(([key, value]) => `${key}=${value}`);
