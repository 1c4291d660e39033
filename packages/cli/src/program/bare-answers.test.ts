import { methods } from '@svc/api/methods';
import { describe, expect, it } from 'vitest';
import type { FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

/** Every operation answers a message in which nothing is set, its lists with one such item. */
const bare = (isItemSet: boolean): FakeHandlers => ({
  unary: Object.fromEntries(
    methods.map(({ name, output }) => {
      const lists = output.fields.filter((field) => field.fieldKind === 'list' && field.listKind === 'message');
      const singles = output.fields.filter((field) => field.fieldKind === 'message');
      const items = lists.map((field) => [field.localName, [{}]]);
      const inner = isItemSet ? singles.map((field) => [field.localName, {}]) : [];
      return [name, () => Object.fromEntries([...items, ...inner])];
    }),
  ),
  streams: Object.fromEntries(methods.map(({ name }) => [name, () => [{}]])),
});

const file = { text: 'kind: Skill\nmetadata: {name: k}\nspec: {description: d, instructions: i}\n', mode: 0o600 };

describe('a server whose answers say nothing', () => {
  it.each([
    ['get agents'],
    ['get agents -o wide'],
    ['get namespaces -o wide'],
    ['get sessions'],
    ['get tasks -A --show-managed'],
    ['get schedules -o wide'],
    ['get files'],
    ['get deployments'],
    ['get agent a'],
    ['get channels --watch'],
    ['watch channels'],
    ['describe agent a'],
    ['describe template t -n system'],
    ['label agent a x=y'],
    ['patch task t -p {}'],
    ['edit task t'],
    ['delete task t'],
    ['wait task t --timeout 1s'],
    ['apply -f a.yaml'],
    ['apply -f a.yaml --wait 1s'],
    ['diff -f a.yaml'],
    ['prune -f a.yaml --set s --yes'],
    ['delete -f a.yaml'],
    ['export -A --data'],
    ['import a.yaml'],
    ['file put a.yaml'],
    ['file put a.yaml -o json'],
    ['file list -o wide'],
    ['file get /a.md'],
    ['file rm x'],
    ['artifact list s'],
    ['artifact get s a'],
    ['artifact promote s a /p'],
    ['secret list'],
    ['secret get s'],
    ['secret get s --reveal'],
    ['secret rotate-key'],
    ['knowledge list'],
    ['knowledge get k'],
    ['knowledge get k --agent a'],
    ['knowledge search x'],
    ['namespace restore n'],
    ['namespace purge n --yes'],
    ['agent rebase a --yes'],
    ['agent rebase a --template t --yes'],
    ['channel post c hello'],
    ['channel explain c hello'],
    ['connector explain c hello'],
    ['channel tail c'],
    ['channel close c'],
    ['delivery list'],
    ['delivery release d'],
    ['schedule next'],
    ['schedule next s'],
    ['workflow run w'],
    ['workflow list'],
    ['workflow get w r'],
    ['workflow resume w r s'],
    ['workflow cancel w r'],
    ['workflow events w r'],
    ['workflow graph w'],
    ['workflow graph w r --mermaid'],
    ['agent tools a'],
    ['agent try a t'],
    ['mcp check s'],
    ['mcp login s --no-wait'],
    ['mcp logout s'],
    ['mcp grants'],
    ['usage'],
    ['usage -A'],
    ['worker list'],
    ['worker drain w'],
    ['events'],
    ['events --audit'],
    ['session list'],
    ['session messages s'],
    ['apikey list'],
    ['whoami'],
  ])('does not break svc %s', async (line) => {
    for (const isItemSet of [true, false]) {
      const shell = fakeHost({ handlers: bare(isItemSet), files: { '/work/a.yaml': file }, editor: (text) => text });
      await shell.run(...line.split(' '));
      expect(shell.err()).not.toContain('bug in svc itself');
      expect(shell.out()).not.toContain('undefined');
    }
  });
});
