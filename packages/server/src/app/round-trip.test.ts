import type { Message } from '@bufbuild/protobuf';
import { create, equals } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindContract } from '../controllers/index.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../features/testing/index.ts';
import { canonicalJson, kinds, parseJsonMap } from '../resources/index.ts';
import { randomMessage } from '../transport/testing/random-message.ts';

const RUNS = 40;
const OWN_CONTRACTS: ReadonlySet<string> = new Set(['Namespace', 'Agent', 'Session']);

/** A spec after its round trip may differ in the spelling of JSON inside sealed texts only. */
const normalised = (kind: string, spec: Message): Message => {
  const copy = { ...spec } as Record<string, unknown>;
  const texts = kind === 'SandboxClass' ? ['providerConfigJson', 'credentialsJson'] : [];
  for (const member of texts) {
    const map = parseJsonMap(String(copy[member]));
    if (map !== undefined) copy[member] = canonicalJson(map);
  }
  return copy as unknown as Message;
};

describe('a random spec of every kind', () => {
  let world: ResourceWorld;

  beforeAll(async () => {
    const open = kinds.filter((row) => !OWN_CONTRACTS.has(row.kind));
    world = await openResourceWorld({
      contracts: () => open.map((row) => kindContract({ kind: row.kind, validate: () => [] })),
    });
  });
  afterAll(() => world.close());

  it.each(kinds.filter((row) => !OWN_CONTRACTS.has(row.kind)))(
    '$kind is the same after it was stored, sealed and read',
    async (row) => {
      const name = row.names === 'skill' ? 'one' : 'One.1';
      const key = { kind: row.kind, namespace: 'default', parent: row.parent === undefined ? '' : 'room', name };
      await fc.assert(
        fc.asyncProperty(randomMessage(row.spec), async (random) => {
          const spec = normalised(row.kind, random);
          const written = create(row.spec, spec as never);
          const { resource } = await world.store.write((tx) =>
            world.writer.put(tx, callContext('test'), { key, spec: written }),
          );
          const shown = world.views.full(row.full, resource, { secrets: true }) as Message & { readonly spec: Message };
          expect(equals(row.spec, shown.spec, written)).toBe(true);
          const again = await world.store.write((tx) =>
            world.writer.put(tx, callContext('test'), { key, spec: written }),
          );
          expect(again.outcome).toBe('unchanged');
          await world.store.write((tx) => world.writer.remove(tx, callContext('test'), { key }));
        }),
        { numRuns: RUNS, seed: 7 },
      );
    },
  );
});
