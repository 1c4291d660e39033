import { type SkillSpec, SkillSpecSchema } from '@svc/api/resources';
import { together } from '../../../base/index.ts';
import { SpecReader } from '../../../resources/index.ts';
import type { PromptSkills, SkillSource } from '../../../runtime/contract.ts';
import { everyResource, type ReadTx, type StoredResource } from '../../../store/contracts/index.ts';
import type { ToolTurn } from '../../../tools/contract.ts';
import type { OfferedSkill, OutsideSkills, SkillFile, SkillReader } from '../../../tools/skill-contract.ts';
import { CATALOGUE_MAX, isComplete, isOutside } from './skill-rules.ts';

type Reads = Pick<ReadTx, 'resources'>;

export interface SkillDirectoryDeps {
  /** The namespace and its ancestors, nearest first; [] for a deleted one. */
  readonly visibleNamespaces: (reads: Reads, namespace: string) => Promise<readonly string[]>;
}

export interface VisibleSkill {
  readonly name: string;
  readonly namespace: string;
  readonly spec: SkillSpec;
}

const NONE: OutsideSkills = {
  list: async () => [],
  text: async () => undefined,
  files: async () => [],
  file: async () => undefined,
};

/** Skills as the agents of a namespace see them: the nearest complete one of each name. */
export class SkillDirectory implements SkillSource {
  readonly #deps: SkillDirectoryDeps;
  readonly #specs = new SpecReader();
  #outside: OutsideSkills = NONE;

  constructor(deps: SkillDirectoryDeps) {
    this.#deps = deps;
  }

  /** Adds the skills that do not come from the store. */
  attach(outside: OutsideSkills): void {
    this.#outside = outside;
  }

  /** The outside skills of a turn. */
  outside(turn: ToolTurn): Promise<readonly OfferedSkill[]> {
    return this.#outside.list(turn);
  }

  /** Files of an outside skill. */
  outsideFiles(reader: SkillReader, name: string): Promise<readonly SkillFile[]> {
    return this.#outside.files(reader, name);
  }

  /** Bytes of a file of an outside skill. */
  outsideFile(reader: SkillReader, name: string, path: string): Promise<Uint8Array | undefined> {
    return this.#outside.file(reader, name, path);
  }

  /** Whether the turn may activate the skill now. */
  async isOffered(reads: Reads, turn: ToolTurn, name: string): Promise<boolean> {
    if (isOutside(name)) return (await this.#outside.text(turn, name)) !== undefined;
    return (await this.find(reads, turn.grants.namespace, name)) !== undefined;
  }

  /** The skill of that name; undefined where none is complete. */
  async find(reads: Reads, namespace: string, name: string): Promise<VisibleSkill | undefined> {
    for (const place of await this.#deps.visibleNamespaces(reads, namespace)) {
      const record = await reads.resources.get({ kind: 'Skill', namespace: place, parent: '', name });
      const skill = record === undefined ? undefined : this.#complete(record);
      if (skill !== undefined) return skill;
    }
    return undefined;
  }

  /** Whether a skill record can be seen at all. */
  async hasSkills(reads: Reads, namespace: string): Promise<boolean> {
    for (const place of await this.#deps.visibleNamespaces(reads, namespace)) {
      const scope = { type: 'namespace', namespace: place } as const;
      if ((await reads.resources.list({ kind: 'Skill', scope, limit: 1 })).length > 0) return true;
    }
    return false;
  }

  /** Every visible skill by name, at most CATALOGUE_MAX. */
  async list(reads: Reads, namespace: string): Promise<readonly VisibleSkill[]> {
    const found = new Map<string, VisibleSkill>();
    for (const record of await this.#nearestFirst(reads, namespace)) {
      const skill = found.has(record.key.name) ? undefined : this.#complete(record);
      if (skill !== undefined) found.set(skill.name, skill);
    }
    return [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1)).slice(0, CATALOGUE_MAX);
  }

  /** What prompts show: the catalogue, and the text of active skills as it is now; undefined = it vanished. */
  async promptSkills(reads: Reads, namespace: string, active: readonly string[]): Promise<PromptSkills> {
    const visible = await this.list(reads, namespace);
    const shown = [];
    for (const name of active) {
      const skill = await this.find(reads, namespace, name);
      shown.push({ name, text: skill?.spec.instructions });
    }
    return {
      catalogue: visible.map(({ name, spec }) => ({ name, description: spec.description })),
      active: shown,
    };
  }

  /** Skills of the store come first in a catalogue that is full. */
  async withOutside(turn: ToolTurn, { catalogue, active }: PromptSkills): Promise<PromptSkills> {
    const offered = await this.#outside.list(turn);
    return {
      catalogue: [...catalogue, ...offered].slice(0, CATALOGUE_MAX),
      active: await Promise.all(
        active.map(async (skill) =>
          isOutside(skill.name) ? { name: skill.name, text: await this.#outside.text(turn, skill.name) } : skill,
        ),
      ),
    };
  }

  /** Its own skills are asked for with its ancestors: most namespaces have none, and no other answer is waited for then. */
  async #nearestFirst(reads: Reads, namespace: string): Promise<readonly StoredResource[]> {
    const [places, own] = await together(this.#deps.visibleNamespaces(reads, namespace), skillsOf(reads, namespace));
    const lists = await together(
      ...places.map((place) => (place === namespace ? Promise.resolve(own) : skillsOf(reads, place))),
    );
    return lists.flat();
  }

  #complete(record: StoredResource): VisibleSkill | undefined {
    const spec = this.#specs.read(SkillSpecSchema, record);
    return isComplete(spec) ? { name: record.key.name, namespace: record.key.namespace, spec } : undefined;
  }
}

const skillsOf = (reads: Reads, namespace: string): Promise<readonly StoredResource[]> =>
  everyResource(reads.resources, { kind: 'Skill', scope: { type: 'namespace', namespace } });
