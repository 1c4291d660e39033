import { createHash } from 'node:crypto';

const SLUG_MAX = 48;
const DIGEST_CHARS = 12;

/** The one name of a path: its slug and twelve hex digits of its hash. */
export const fileName = (path: string): string => {
  const slug = path
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, SLUG_MAX)
    .replace(/-+$/, '');
  const digest = createHash('sha256').update(path).digest('hex').slice(0, DIGEST_CHARS);
  return slug === '' ? digest : `${slug}-${digest}`;
};
