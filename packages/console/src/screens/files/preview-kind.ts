import { bareType, isPixelPicture } from '../../ui/pixel-picture.ts';

/** How a file can be shown: only in ways in which nothing of it is run. */
export type PreviewKind = 'markdown' | 'yaml' | 'json' | 'text' | 'image' | 'none';

/** Types that are text whatever their names say; SVG can hold scripts and is shown as the text that it is. */
const TEXTS = new Set([
  'application/xml',
  'application/javascript',
  'application/x-sh',
  'application/toml',
  'image/svg+xml',
]);
const YAML = new Set(['application/yaml', 'application/x-yaml', 'text/yaml']);
const JSONS = new Set(['application/json', 'application/x-ndjson', 'application/ld+json']);

/** By media type, and by the ending of the path where the type says nothing. */
export const previewKind = (mediaType: string, path: string): PreviewKind => {
  const type = bareType(mediaType);
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const isUnknown = type === '' || type === 'application/octet-stream';
  if (isPixelPicture(type)) return 'image';
  if (type === 'text/markdown' || ((isUnknown || type === 'text/plain') && ending === 'md')) return 'markdown';
  if (YAML.has(type) || (isUnknown && ['yaml', 'yml'].includes(ending))) return 'yaml';
  if (JSONS.has(type) || (isUnknown && ending === 'json')) return 'json';
  if (type.startsWith('text/') || TEXTS.has(type) || (isUnknown && ['txt', 'csv', 'log'].includes(ending)))
    return 'text';
  return 'none';
};
