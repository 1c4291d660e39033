import { kindFacts } from '@svc/api/kinds';
import { maskCode } from '../mask-code.ts';
import { isTestCode, type SourceFile } from '../source-files.ts';

/** Lists with fewer kinds say something of a few of them; one with as many is usually a property that belongs to the table of kinds. */
const KINDS_MIN = 4;

/** Lists of kinds that are not properties of each kind, and why. An entry that is no longer needed fails the check. */
export const knownKindLists: readonly { readonly path: string; readonly reason: string }[] = [
  {
    path: 'packages/cli/src/kinds/kind-columns.ts',
    reason: 'how tables show a kind: kinds without an entry have no columns',
  },
  {
    path: 'packages/cli/src/manifests/secret-values.ts',
    reason: 'what a diff never prints is more than what the server masks: all of a credential, not its value alone',
  },
  {
    path: 'packages/server/src/features/authoring/deployments/deployment-controllers.ts',
    reason: 'kinds that deployments are about',
  },
  { path: 'packages/server/src/features/conversation/agents/agent-status.ts', reason: 'kinds that agents refer to' },
  {
    path: 'packages/server/src/features/coordination/connectors/connector-kind.ts',
    reason: 'kinds that connectors refer to',
  },
  {
    path: 'packages/server/src/features/coordination/schedules/schedule-status.ts',
    reason: 'kinds that schedules refer to',
  },
  {
    path: 'packages/server/src/features/coordination/workflows/workflow-kind.ts',
    reason: 'kinds that workflows refer to',
  },
];

const checked = /^packages\/(?:server|cli)\/src\//;
const names: ReadonlySet<string> = new Set(kindFacts.map(({ kind }) => kind));

/** Lists and tables of kinds in production code outside the table of kinds, as readable text. */
export function kindListsOf({ path, text }: SourceFile): readonly string[] {
  if (!checked.test(path) || isTestCode(path)) return [];
  const { code, strings } = maskCode(text);
  return bracketed(code)
    .map((inside) => kindsIn(inside, strings))
    .filter((kinds) => kinds.length >= KINDS_MIN)
    .map((kinds) => `${path} lists kinds: ${kinds.join(', ')}`);
}

/** What is directly in each pair of brackets and braces, without what is in further pairs inside. */
function bracketed(code: string): readonly string[] {
  const found: string[] = [];
  const open: string[] = [];
  for (const character of code)
    if (character === '[' || character === '{') open.push('');
    else if (character === ']' || character === '}') {
      const inside = open.pop();
      if (inside !== undefined) found.push(inside);
      // What was inside is one thing to what is around it.
      open.push(`${open.pop() ?? ''}#`);
    } else if (open.length > 0) open.push((open.pop() ?? '') + character);
  return found;
}

/** Items of a list, or names of the members of a table, that are kinds. */
function kindsIn(inside: string, strings: readonly string[]): readonly string[] {
  const items = inside.split(',').map((item) => item.trim());
  const kinds = items.flatMap((item) => {
    const [, index, name] = /^(?:"(\d+)"|(\w+))(?:\s*:[\s\S]*)?$/.exec(item) ?? [];
    const word = index === undefined ? (item.includes(':') ? name : undefined) : strings[Number(index)];
    return word !== undefined && names.has(word) ? [word] : [];
  });
  return [...new Set(kinds)];
}
