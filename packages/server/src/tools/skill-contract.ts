import type { ToolGrants } from './contract.ts';

/** Most skills that may be active in one session, those of its agent's features included. */
export const MAX_ACTIVE_SKILLS = 8;

/** Durable list of the skills that a session has activated, in order; every write is harmless when it runs twice. */
export interface SkillBook {
  /** [] also for a session that is gone. */
  active(sessionId: string): Promise<readonly string[]>;
  /** Answers the list with the name at its end, or where it is. Throws Fault RESOURCE_EXHAUSTED SKILLS_FULL above `max`. */
  activate(sessionId: string, name: string, max: number): Promise<readonly string[]>;
  /** Answers the list without the name. */
  deactivate(sessionId: string, name: string): Promise<readonly string[]>;
}

/** A skill from outside the store. Its name has a slash, which the name of no skill of a namespace has. */
export interface OfferedSkill {
  readonly name: string;
  readonly description: string;
}

/** For whom skills are read: an agent in a session, on someone's account. */
export interface SkillReader {
  readonly grants: Pick<ToolGrants, 'namespace' | 'agent' | 'mcpServers'>;
  readonly sessionId: string;
  readonly identity: string;
}

/** A file of a skill besides its instructions. */
export interface SkillFile {
  /** Below the folder of the skill, such as `references/forms.md`. */
  readonly path: string;
  readonly sizeBytes: number;
}

/** A file of a skill of an MCP server, by the name of the skill, such as `desk/refunds`. */
export interface NamedSkillFile extends SkillFile {
  readonly skill: string;
}

/** Files of those skills from outside the store that are active in a session; they cannot be changed. */
export interface ActiveSkillFiles {
  list(session: ActiveSession): Promise<readonly NamedSkillFile[]>;
  /** Undefined for a file that is gone, or cannot be had. */
  read(session: ActiveSession, file: NamedSkillFile): Promise<Uint8Array | undefined>;
}

/** A session in which a turn runs. */
export interface ActiveSession {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly identity: string;
}

/** Skills that come with something that an agent uses, such as its MCP servers; which ones depends on the turn. */
export interface OutsideSkills {
  /** Waits a few seconds at most, and leaves out what cannot be had. Never rejects because of the other side. */
  list(turn: SkillReader): Promise<readonly OfferedSkill[]>;
  /** The text as prompts show it; undefined for a skill that the turn does not have, or whose text cannot be had. */
  text(turn: SkillReader, name: string): Promise<string | undefined>;
  /** Files of a skill besides its instructions; [] as `text` is undefined. */
  files(turn: SkillReader, name: string): Promise<readonly SkillFile[]>;
  /** Undefined as `text` is, and for a path that `files` does not have. */
  file(turn: SkillReader, name: string, path: string): Promise<Uint8Array | undefined>;
}
