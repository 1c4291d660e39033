import { printValue, writeYaml, yamlText } from '../output.ts';
import type { World } from '../world.ts';
import { loadManifests, type ManifestOptions, requireNoFindings } from './manifest-documents.ts';

export type RenderOptions = ManifestOptions;

/** `svc render`: the documents with their variables, in canonical form, checked but not applied. */
export const render = async (world: World, options: RenderOptions): Promise<void> => {
  const loaded = await loadManifests(world, options);
  requireNoFindings(loaded, 'nothing is rendered');
  const { canonicalDocument } = await world.loadManifests();
  const values = loaded.documents.flatMap(({ document }) =>
    document.resource === undefined ? [] : [canonicalDocument(document.resource)],
  );
  if (options.output === 'json') return printValue(world, values, { form: 'json' });
  writeYaml(world, (await Promise.all(values.map(yamlText))).join('---\n'));
};
