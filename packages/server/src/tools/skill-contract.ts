import type { ToolTurn } from './contract.ts';

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

/** Skills that come with something that an agent uses, such as its MCP servers; which ones depends on the turn. */
export interface OutsideSkills {
  /** Waits a few seconds at most, and leaves out what cannot be had. Never rejects because of the other side. */
  list(turn: ToolTurn): Promise<readonly OfferedSkill[]>;
  /** The text as prompts show it; undefined for a skill that the turn does not have, or whose text cannot be had. */
  text(turn: ToolTurn, name: string): Promise<string | undefined>;
}
