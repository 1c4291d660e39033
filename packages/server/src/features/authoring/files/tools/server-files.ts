import { isUtf8 } from 'node:buffer';
import { Fault } from '../../../../base/index.ts';
import type { NamedSkillFile } from '../../../../tools/skill-contract.ts';
import { type ToolContent, textTypeOf } from './tool-content.ts';

/** Where a turn finds a file of a skill of an MCP server. */
export const serverFilePath = ({ skill, path }: NamedSkillFile): string => `/skills/${skill}/${path}`;

/** Types of files that hold no text, by the end of a name; a server's word for it counts for nothing. */
const TYPES: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
  png: 'image/png',
  webp: 'image/webp',
};

const typeOf = (path: string): string => {
  const end = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(TYPES, end) ? (TYPES[end] ?? '') : textTypeOf(path);
};

/** The file as tools describe it. */
export const shownServerFile = (file: NamedSkillFile) => ({
  path: serverFilePath(file),
  media_type: typeOf(file.path),
  purpose: 'skill',
  size_bytes: file.sizeBytes,
  source: `MCP server ${file.skill.slice(0, file.skill.indexOf('/'))}`,
});

/** Reading it throws FILE_UNAVAILABLE where its server does not answer, or sends another file than it listed. */
export const serverFileContent = (file: NamedSkillFile, read: () => Promise<Uint8Array | undefined>): ToolContent => ({
  mediaType: typeOf(file.path),
  filename: file.path.slice(file.path.lastIndexOf('/') + 1),
  sizeBytes: file.sizeBytes,
  read: async () => {
    const bytes = await read();
    if (bytes === undefined) throw unavailable(file, 'its MCP server does not send it as it listed it');
    if (textTypeOf(file.path) === typeOf(file.path) && !isUtf8(bytes))
      throw unavailable(file, 'its bytes are not UTF-8');
    return bytes;
  },
});

const unavailable = (file: NamedSkillFile, reason: string): Fault =>
  new Fault('UNAVAILABLE', 'FILE_UNAVAILABLE', `${serverFilePath(file)} cannot be read: ${reason}`);
