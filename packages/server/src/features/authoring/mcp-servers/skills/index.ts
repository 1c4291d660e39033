/**
 * features/authoring/mcp-servers/skills: the skills of MCP servers (the skills extension) as agents have them: their names, their texts, and how
 * long both are kept in memory. Nothing of them is stored. Does not own activation, which is that of every skill (features/authoring/skills).
 */
export { serverSkills } from './server-skills.ts';
