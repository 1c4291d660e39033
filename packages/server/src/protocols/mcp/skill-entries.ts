import { isRecord } from '../../base/index.ts';
import type { McpSkill, McpSkillFile } from './contract.ts';

/** Entries of the skills extension, judged before anything of them is kept: a server wrote them. */

/** Longest address of a skill. */
const URI_MAX = 1_024;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const NAME_MAX = 64;
/** Longest description: what the Agent Skills format allows. */
const DESCRIPTION_MAX = 1_024;
/** Longest entry as JSON: 512 files, the most that a skill has, take about 80,000 characters. */
const ENTRY_CHARACTERS_MAX = 128 * 1024;
/** Largest SKILL.md: 64 KiB of instructions, and the frontmatter before them. */
export const SKILL_BYTES_MAX = 80 * 1024;
/** Files of one skill besides its SKILL.md; further ones are left out, as are larger ones. */
const FILES_MAX = 100;
const FILE_BYTES_MAX = 1024 * 1024;
const PATH_MAX = 256;
/** Names of folders and files as they are shown: no control characters, nothing that is a path of its own. */
const SEGMENT = /^(?!\.{1,2}$)[\p{L}\p{N}\p{M} ._@+~()-]+$/u;

/** The skill that an entry describes; undefined for one that does not keep to the rules, or is too large. */
export const skillOf = (entry: unknown): McpSkill | undefined => {
  const { uri, frontmatter, resources } = isRecord(entry) ? entry : {};
  if (typeof uri !== 'string' || uri.length > URI_MAX || !isRecord(frontmatter)) return undefined;
  const { name, description } = frontmatter;
  if (typeof name !== 'string' || name.length > NAME_MAX || !NAME.test(name)) return undefined;
  if (!uri.endsWith(`/${name}/SKILL.md`)) return undefined;
  if (typeof description !== 'string' || description.trim() === '' || isLong(description)) return undefined;
  if (JSON.stringify(entry).length > ENTRY_CHARACTERS_MAX) return undefined;
  const digest = digestOf(uri, resources);
  if (digest === undefined) return undefined;
  return { uri, name, description: description.toWellFormed(), digest, files: filesOf(uri, resources), entry };
};

/** The format counts characters, not UTF-16 units. */
const isLong = (description: string): boolean =>
  description.length > 2 * DESCRIPTION_MAX || [...description].length > DESCRIPTION_MAX;

/** Digest of the skill's SKILL.md; '' where the server makes it for each reader, undefined where the files are not described. */
const digestOf = (uri: string, resources: unknown): string | undefined => {
  if (resources === 'dynamic') return '';
  const own = Array.isArray(resources) ? resources.filter(isRecord).find((one) => one['uri'] === uri) : undefined;
  const { digest, size } = own ?? {};
  const isSmall = typeof size === 'number' && size <= SKILL_BYTES_MAX;
  return typeof digest === 'string' && isSmall ? digest : undefined;
};

/** The files besides the SKILL.md that may be read; what a server makes for each reader is not described. */
const filesOf = (uri: string, resources: unknown): readonly McpSkillFile[] => {
  if (!Array.isArray(resources)) return [];
  const root = uri.slice(0, uri.lastIndexOf('/') + 1);
  const files = new Map<string, McpSkillFile>();
  for (const { uri: own, size } of resources.filter(isRecord)) {
    if (typeof own !== 'string' || own === uri || !own.startsWith(root)) continue;
    const path = pathOf(own.slice(root.length));
    if (path === undefined || typeof size !== 'number' || size > FILE_BYTES_MAX) continue;
    if (files.size < FILES_MAX && !files.has(path)) files.set(path, { path, uri: own, sizeBytes: size });
  }
  return [...files.values()];
};

/** As people read it; undefined where it leads elsewhere. */
const pathOf = (encoded: string): string | undefined => {
  if (encoded.length > PATH_MAX * 3 || !URL.canParse(encoded, 'skill://host/')) return undefined;
  const path = decoded(encoded);
  if (path === undefined || path.length > PATH_MAX) return undefined;
  return path.split('/').every((segment) => SEGMENT.test(segment)) ? path : undefined;
};

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
};
