/**
 * features/authoring/skills: skills as resources and as agents see them: rules, condition Complete, and which skill a name means in
 * a namespace, and the tools that activate them. Does not keep which skills are active: sessions do. app wires it; prompts get
 * `promptSkills`, files ask `forFiles`.
 */
export { skillsModule } from './skills-module.ts';
