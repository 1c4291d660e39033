import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of examples/, the plainest first. */
const FOLDERS = ['first-agent', 'team', 'rollout', 'every-kind'];

export interface Example {
  /** One YAML document. */
  readonly text: string;
  /** Where it is, such as `examples/team/agents.yaml`. */
  readonly path: string;
}

/** The first example of each kind, by the name of the kind. */
export const readExamples = (root: string): ReadonlyMap<string, Example> => {
  const found = new Map<string, Example>();
  for (const folder of FOLDERS) {
    const names = readdirSync(join(root, 'examples', folder)).filter((name) => name.endsWith('.yaml'));
    for (const name of names.sort()) {
      const path = `examples/${folder}/${name}`;
      for (const text of readFileSync(join(root, path), 'utf8').split(/^---\n/m)) {
        const [, kind = ''] = /^kind: (\w+)$/m.exec(text) ?? [];
        if (!found.has(kind)) found.set(kind, { text: text.trim(), path });
      }
    }
  }
  return found;
};
