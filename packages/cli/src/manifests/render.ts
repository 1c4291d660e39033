import type { Host } from '../host.ts';
import { printValue, writeYaml, yamlText } from '../output.ts';
import { loadManifests, type ManifestOptions, requireNoFindings } from './manifest-documents.ts';

export type RenderOptions = ManifestOptions;

/** `svc render`: the documents with their variables, in canonical form, checked but not applied. */
export const render = async (host: Host, options: RenderOptions): Promise<void> => {
  const loaded = await loadManifests(host, options);
  requireNoFindings(loaded, 'nothing is rendered');
  const { canonicalDocument } = await host.loadManifests();
  const values = loaded.documents.flatMap(({ document }) =>
    document.resource === undefined ? [] : [canonicalDocument(document.resource)],
  );
  if (options.output === 'json') return printValue(host, values, { form: 'json' });
  writeYaml(host, (await Promise.all(values.map(yamlText))).join('---\n'));
};
