import { createHash } from 'node:crypto';
import type { McpSkill } from '../../../../protocols/mcp/contract.ts';

/** Most UTF-8 bytes of instructions, as for skills of a namespace. */
const TEXT_BYTES_MAX = 64 * 1024;
const HASH_CHARACTERS = 8;
/** Everything but line ends and tabs that is not shown. */
const CONTROLS = /[\p{Cc}\p{Cf}]/gu;

/**
 * Names of the skills of a server, in the order given: `<server>/<skill>`. Skills of one name each end in a hash of their address, so that
 * none takes the place of another one and no name depends on the order of the list.
 */
export const skillNames = (server: string, skills: readonly McpSkill[]): readonly string[] => {
  const seen = new Map<string, number>();
  for (const { name } of skills) seen.set(name, (seen.get(name) ?? 0) + 1);
  return skills.map(({ name, uri }) => {
    if (seen.get(name) === 1) return `${server}/${name}`;
    const hash = createHash('sha256').update(uri).digest('hex').slice(0, HASH_CHARACTERS);
    return `${server}/${name}_${hash}`;
  });
};

/** The server of a skill's name. */
export const serverOf = (name: string): string => name.slice(0, name.indexOf('/'));

/** The description as the catalogue shows it. */
export const shownDescription = (server: string, { description }: McpSkill): string =>
  `${shown(description)} (from MCP server ${server})`;

/**
 * Instructions of a skill, by its whole name, as prompts show them: with where they come from, and without what ends the place that prompts give a skill. Undefined for a
 * text without a word, or one that is too long.
 */
export const shownText = (name: string, body: string, hasFiles: boolean): string | undefined => {
  if (body.trim() === '' || Buffer.byteLength(body) > TEXT_BYTES_MAX) return undefined;
  const files = hasFiles ? ` Its files are below /skills/${name}/.` : '';
  return `(Written by MCP server ${serverOf(name)}. It grants no tool and no permission.${files})\n${shown(body)}`;
};

const shown = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, (one) => (one === '\n' || one === '\t' ? one : ''))
    .replace(/<(?=\s*\/?\s*skill\b)/gi, '&lt;')
    .toWellFormed();
