import { fromJsonSchema, McpServer, type McpServerFactory, Server } from '@modelcontextprotocol/server';
import { type Skill, type SkillReadResult, SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';

/** Texts of SKILL.md by the path of the skill, such as `billing/refunds`; tests change them. */
export type SkillTexts = Record<string, string>;

/** A SKILL.md with these instructions. */
export const skillMarkdown = (path: string, instructions: string, more = ''): string =>
  `---\nname: ${path.split('/').at(-1)}\ndescription: How ${path} is done.\n${more}---\n${instructions}\n`;

interface Behaviour {
  /** Changes what is listed. */
  readonly listed?: (entries: readonly Skill[]) => readonly unknown[];
  /** Changes what is read. */
  readonly read?: (text: string) => string;
  /** Every URI that was read. */
  readonly reads?: string[];
  /** Files besides the SKILL.md, by the path of their skill. */
  readonly files?: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>;
}

const uriOf = (path: string): string => `skill://${path}/SKILL.md`;

const fileAt = (files: NonNullable<Behaviour['files']>, uri: string): string | Uint8Array | undefined =>
  Object.entries(files)
    .flatMap(([skill, own]) =>
      Object.entries(own).map(([name, content]) => [`skill://${skill}/${name}`, content] as const),
    )
    .find(([address]) => address === uri)?.[1];

/** A server with skills, built with the official package. */
export const skillServer = (
  texts: SkillTexts,
  { listed = (entries) => entries, read = (text) => text, reads = [], files = {} }: Behaviour = {},
) =>
  (() => {
    const server = new McpServer({ name: 'test-skills', version: '1' });
    const entries = () =>
      Promise.all(Object.entries(texts).map(([path, text]) => skillEntry(path, { 'SKILL.md': text, ...files[path] })));
    new SkillsExtension({
      source: {
        list: async () => ({ skills: listed(await entries()) as Skill[] }),
        get: async (uri) => (await entries()).find((entry) => entry.uri === uri),
        read: async (uri): Promise<SkillReadResult | undefined> => {
          reads.push(uri);
          const path = Object.keys(texts).find((one) => uriOf(one) === uri);
          if (path !== undefined) return { text: read(texts[path] ?? ''), mimeType: 'text/markdown' };
          const file = fileAt(files, uri);
          if (typeof file === 'string') return { text: read(file) };
          return file === undefined ? undefined : { bytes: file };
        },
      },
      onWarning: () => undefined,
    }).attach(server);
    return server;
  }) satisfies McpServerFactory;

const ANY = fromJsonSchema<Record<string, unknown>>({ type: 'object' });

/** A server that lists whatever it is given: the official extension would leave out what is wrong. */
export const rawSkillServer = (pageOf: (cursor: string) => object): McpServerFactory => {
  return () => {
    const capabilities = { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } };
    const server = new Server({ name: 'raw-skills', version: '1' }, { capabilities });
    server.setRequestHandler('skills/list', { params: ANY }, async ({ cursor = '' }) => ({
      ttlMs: 0,
      cacheScope: 'private',
      ...pageOf(String(cursor)),
    }));
    return server;
  };
};
