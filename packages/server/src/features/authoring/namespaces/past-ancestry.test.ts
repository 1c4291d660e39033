import { describe, expect, it } from 'vitest';
import { namespaceKey, recordKey } from '../../../resources/index.ts';
import type { ResourceChange, ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import { NamespaceAncestry } from './namespace-ancestry.ts';
import { PARENT_LABEL } from './namespace-rules.ts';
import { PastAncestry } from './past-ancestry.ts';

/** A change log of one change per version; times are versions. */
class Log {
  readonly changes: ResourceChange[] = [];
  readonly #records = new Map<string, StoredResource>();
  reads = 0;

  add(change: ResourceChange['change'], key: ResourceKey, more: Partial<StoredResource> = {}): ResourceChange {
    const version = this.changes.length + 1;
    const known = this.#records.get(key.name);
    const resource = {
      ...{ key, uid: `${key.name}-${version}`, createdAt: version, labels: {}, ...known, ...more, version },
    } as StoredResource;
    if (change === 'deleted') this.#records.delete(key.name);
    else this.#records.set(key.name, resource);
    const added = { version, change, sections: [], at: version, resource };
    this.changes.push(added);
    return added;
  }

  /** A namespace is made below another one, or '' for a root. */
  made(name: string, parent: string): ResourceChange {
    return this.add('created', namespaceKey(name), { labels: { [PARENT_LABEL]: parent } });
  }

  gone(name: string): ResourceChange {
    return this.add('deleted', namespaceKey(name));
  }

  /** Something in a namespace changes. */
  write(namespace: string): ResourceChange {
    return this.add('updated', recordKey('Agent', namespace, `agent-${this.changes.length}`));
  }

  reader(isOver = false) {
    const live = new NamespaceAncestry();
    for (const record of this.#records.values()) if (record.key.kind === 'Namespace') live.note(record);
    const resources = {
      get: async (key: ResourceKey) => this.#records.get(key.name),
      changes: async (after: number, limit: number) => {
        this.reads += 1;
        return this.changes.slice(after, after + limit);
      },
    };
    return new PastAncestry({ resources, live, isOver: () => isOver });
  }
}

describe('ancestors of the past', () => {
  it('are those of each life of a name, through parents that are gone too', async () => {
    const log = new Log();
    log.made('top', '');
    log.made('other', '');
    log.made('mid', 'top');
    log.made('low', 'mid');
    const first = log.write('low:x');
    log.gone('low');
    log.gone('mid');
    log.made('mid', 'other');
    log.made('low', 'mid');
    const second = log.write('low');
    log.gone('low');
    log.made('low', '');
    const third = log.write('low');
    const reader = log.reader();
    await reader.learn([first, second, third]);
    expect(reader.ancestorsAt('low:x', first.version)).toEqual(['low', 'mid', 'top']);
    expect(reader.ancestorsAt('low', second.version)).toEqual(['mid', 'other']);
    expect(reader.ancestorsAt('low', third.version)).toEqual([]);
    expect(reader.ancestorsAt('mid')).toEqual(['other']);
  });

  it('cost no read of the log while every namespace is the one that it was', async () => {
    const log = new Log();
    log.made('top', '');
    log.made('low', 'top');
    const changes = [log.write('low'), log.write('low:deep'), log.write('top')];
    const reader = log.reader();
    await reader.learn(changes);
    expect(reader.ancestorsAt('low:deep', 4)).toEqual(['low', 'top']);
    expect(log.reads).toBe(0);
  });

  it('read each part of the log once, however many namespaces are gone', async () => {
    const log = new Log();
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
    for (const name of names) log.made(name, 'top');
    const inside = names.flatMap((name) => Array.from({ length: 20 }, () => log.write(name)));
    for (const name of names) log.gone(name);
    for (let index = 0; index < 600; index++) log.write('elsewhere');
    const reader = log.reader();
    await reader.learn(inside);
    expect(names.map((name) => reader.ancestorsAt(name, 100))).toEqual(names.map(() => ['top']));
    // `top` is in no log: its one search ends with an empty read.
    expect(log.reads).toBeLessThanOrEqual(Math.ceil(log.changes.length / 500) + 1);
  });

  it('of a namespace that the log never knew are those of its name', async () => {
    const log = new Log();
    const change = log.write('never:was');
    const reader = log.reader();
    await reader.learn([change]);
    expect(reader.ancestorsAt('never:was', change.version)).toEqual(['never']);
  });

  it('are not looked for when nobody waits any more', async () => {
    const log = new Log();
    log.made('low', 'top');
    const change = log.write('low');
    log.gone('low');
    const reader = log.reader(true);
    await reader.learn([change]);
    expect([reader.ancestorsAt('low', change.version), log.reads]).toEqual([[], 0]);
  });
});

describe('lives of a namespace in memory', () => {
  const record = (uid: string, parent: string) =>
    ({ key: namespaceKey('low'), uid, labels: { [PARENT_LABEL]: parent } }) as unknown as StoredResource;

  it('end at the version of the log, whether a commit or the log told of it first', () => {
    const ancestry = new NamespaceAncestry();
    ancestry.note(record('u1', 'top'));
    ancestry.forget(record('u1', 'top'));
    expect(ancestry.ancestorsAt('low', 9_999)).toEqual(['top']);
    ancestry.forget(record('u1', 'top'), 7);
    ancestry.forget(record('u1', 'top'));
    ancestry.note(record('u2', 'other'));
    ancestry.forget(record('u2', 'other'), 12);
    ancestry.note(record('u3', ''));
    const seen = [7, 8, 12, 13].map((version) => ancestry.ancestorsAt('low', version));
    expect(seen).toEqual([['top'], ['other'], ['other'], []]);
    expect(ancestry.ancestors('low')).toEqual([]);
  });
});
