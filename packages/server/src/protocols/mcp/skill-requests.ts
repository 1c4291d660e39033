import type { Client } from '@modelcontextprotocol/client';
import type { Skill, SkillFile, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { isRecord } from '../../base/index.ts';
import { McpFailure, type McpSkill, type McpSkillFile, type McpSkillList } from './contract.ts';
import { failureOf } from './failures.ts';
import { SKILL_BYTES_MAX, skillOf } from './skill-entries.ts';

/** Its name in capabilities. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
/** Skills of one server; further ones are left out. */
const SKILLS_MAX = 50;
/** Pages of the list that are read. */
const PAGES_MAX = 10;
/** Time for one request. */
const REQUEST_MS = 30_000;

const NO_SKILLS: McpSkillList = { skills: [], refused: 0 };

/** The library knows the requests of the extension by name only: what is answered is judged here. */
const ANY = {
  '~standard': { version: 1, vendor: 'svc', validate: (value: unknown) => ({ value }) },
} as const;

export interface SkillRequestsDeps {
  readonly client: Pick<Client, 'request' | 'getServerCapabilities'>;
  /** Reads files of skills and holds them against their entries. Loaded with the first skill that is read. */
  readonly reader: () => Promise<Pick<SkillsClient, 'read'>>;
}

/** Requests about the skills of one server (the skills extension, SEP-2640). */
export class SkillRequests {
  readonly #deps: SkillRequestsDeps;

  constructor(deps: SkillRequestsDeps) {
    this.#deps = deps;
  }

  /** The first 50 skills; none of a server that does not declare the extension. */
  async list(signal: AbortSignal): Promise<McpSkillList> {
    const { client } = this.#deps;
    if (!isRecord(client.getServerCapabilities()?.extensions?.[SKILLS_EXTENSION])) return NO_SKILLS;
    const found = new Map<string, McpSkill>();
    let refused = 0;
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX && found.size < SKILLS_MAX; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await client.request({ method: 'skills/list', params }, ANY, { signal, timeout: REQUEST_MS });
      const { skills, nextCursor } = isRecord(answer) ? answer : {};
      if (!Array.isArray(skills)) throw new McpFailure('malformed', 'the server lists no skills where it should');
      for (const entry of skills) {
        const skill = skillOf(entry);
        if (skill === undefined || found.has(skill.uri)) refused++;
        else if (found.size < SKILLS_MAX) found.set(skill.uri, skill);
      }
      if (typeof nextCursor !== 'string') break;
      cursor = nextCursor;
    }
    return { skills: [...found.values()], refused };
  }

  /** The instructions, once they are what the entry says they are. */
  async read({ entry }: McpSkill, signal: AbortSignal): Promise<string> {
    const { body = '', bytes } = await this.#file(entry, undefined, signal);
    if (bytes.length > SKILL_BYTES_MAX)
      throw new McpFailure('malformed', `the skill has more than ${SKILL_BYTES_MAX} bytes`);
    return body;
  }

  /** A file, once its size and digest are what the entry says they are. */
  async readFile({ entry }: McpSkill, { uri }: McpSkillFile, signal: AbortSignal): Promise<Uint8Array> {
    return (await this.#file(entry, uri, signal)).bytes;
  }

  /** The SKILL.md where no address is given. */
  async #file(entry: unknown, uri: string | undefined, signal: AbortSignal): Promise<SkillFile> {
    const reader = await this.#deps.reader();
    try {
      const options = { signal, timeout: REQUEST_MS, cacheMode: 'refresh' } as const;
      return await reader.read(entry as Skill, uri, options);
    } catch (error) {
      if (!(error instanceof TypeError)) throw failureOf(error);
      throw new McpFailure('malformed', 'the entry of the skill does not keep to the rules', { cause: error });
    }
  }
}
