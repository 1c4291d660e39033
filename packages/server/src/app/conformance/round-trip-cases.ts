import { create, equals, fromJson, type JsonObject, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { ApplyOutcome } from '@svc/api/gateway';
import { type Resource, ResourceManifestSchema, ResourceSchema } from '@svc/api/resources';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { fileName, type KindRow, kinds } from '../../resources/index.ts';
import { isGivenDatabase } from '../../store/postgres/testing/given-database.ts';
import { AppUnderTest } from '../testing/index.ts';
import { withoutField } from './repair-spec.ts';
import { type ResourceClient, resourceClients } from './resource-clients.ts';
import { leastSpecs } from './spec-words.ts';
import { wordedMessage } from './worded-message.ts';

/** Specs of a kind; more where chance has more to find. */
const RUNS = 20;
/** The run on PostgreSQL takes a part of them: it is about the store alone. */
const SHARE = isGivenDatabase() ? 5 : 1;
const MORE_RUNS: Readonly<Record<string, number>> = { Agent: 30, Connector: 40, Workflow: 60 };
/** Hundreds of calls one after the other: a loaded machine takes its time. */
const LONG_MS = 240_000;
/** Faults of one random spec that are taken out one after the other; with more the least spec is written. */
const REPAIRS = 25;

interface Address {
  readonly ns: string;
  readonly kind: string;
  readonly name: string;
  readonly parent: string;
}

/** What a spec must find in the namespace. */
const SURROUNDINGS = `
kind: Agent
metadata: {name: helper}
---
kind: Channel
metadata: {name: room}
---
kind: McpServer
metadata: {name: files}
spec: {transport: http, target: "http://127.0.0.1:1/mcp"}
`;

const rowsUnderTest = kinds.filter((row) => row.writers.resourceService === 'all');

const pathOf = (index: number, path: string): string => `/${index}${path === '' ? '/docs/one.md' : path}`;

const addressOf = (row: KindRow, index: number, random: Message): Address => {
  const path = (random as unknown as Partial<Readonly<Record<string, string>>>)['path'] ?? '';
  if (row.kind === 'File') return { kind: row.kind, ns: 'default', name: fileName(pathOf(index, path)), parent: '' };
  const name = row.names === 'skill' || row.scope === 'root' ? `trip-${index}` : `Trip.${index}`;
  return {
    kind: row.kind,
    ns: row.scope === 'root' ? name : 'default',
    name,
    parent: row.parent === undefined ? '' : 'room',
  };
};

const manifestOf = (row: KindRow, address: Address, spec: Message) =>
  create(ResourceManifestSchema, {
    kind: row.kind,
    metadata: { name: address.name, namespace: row.scope === 'root' ? '' : address.ns, labels: { trip: 'yes' } },
    spec: { kind: { case: row.member, value: spec } as never },
  });

/** Paths and names belong to one resource of a namespace each. */
const made = (row: KindRow, spec: JsonObject, index: number): JsonObject => {
  if (row.kind === 'Knowledge') return { ...spec, path: `${index}/${String(spec['path'])}` };
  return row.kind === 'File' ? { ...spec, path: pathOf(index, String(spec['path'])) } : spec;
};

/** The random spec without all that the rules of its kind refuse. */
const accepted = async (
  client: ResourceClient,
  row: KindRow,
  at: { readonly address: Address; readonly random: Message; readonly index: number },
): Promise<{ readonly spec: Message; readonly isLeast: boolean }> => {
  const least = (leastSpecs[row.kind] ?? {}) as JsonObject;
  const read = (json: JsonObject): Message => fromJson(row.spec, made(row, json, at.index));
  let json = { ...least, ...(toJson(row.spec, at.random) as JsonObject) };
  for (let round = 0; round < REPAIRS; round++) {
    const spec = read(json);
    const answer = await client.applyResource({
      ...at.address,
      manifest: manifestOf(row, at.address, spec),
      dryRun: true,
    });
    if (answer.outcome !== ApplyOutcome.FAILED) return { spec, isLeast: false };
    // From the last to the first, so that taking an item out of a list moves none that is still meant.
    for (const { field } of answer.fieldErrors.toReversed()) json = withoutField(json, field, least) as JsonObject;
  }
  return { spec: read(least), isLeast: true };
};

const specOf = (row: KindRow, resource: Resource | undefined): Message => {
  const { case: member, value } = resource?.spec?.kind ?? {};
  if (member !== row.member || value === undefined) throw new Error(`no spec of ${row.kind}`);
  return value;
};

/** Fields of a message that are set, as `Message.field`. */
const fieldsSet = (desc: KindRow['spec'], value: JsonValue, found: Set<string>): void => {
  for (const field of desc.fields) {
    const inner = (value as JsonObject)[field.jsonName];
    if (inner === undefined) continue;
    found.add(`${desc.name}.${field.localName}`);
    const { message } = field;
    if (message === undefined || message.typeName.startsWith('google.')) continue;
    const items = field.fieldKind === 'map' ? Object.values(inner as JsonObject) : [inner].flat();
    for (const item of items) fieldsSet(message, item as JsonValue, found);
  }
};

/** What a spec may say that is written or stored in another form, or that only the machinery says. */
const NEVER_STORED: ReadonlySet<string> = new Set([
  'SecretSpec.stringData',
  ...['namespace', 'ownerReferences', 'finalizers', 'generation', 'resourceVersion', 'uid', 'deletionTimestamp'].map(
    (name) => `ResourceMeta.${name}`,
  ),
]);

const allFields = (desc: KindRow['spec'], found = new Set<string>()): ReadonlySet<string> => {
  for (const field of desc.fields) {
    const name = `${desc.name}.${field.localName}`;
    if (found.has(name) || NEVER_STORED.has(name)) continue;
    found.add(name);
    if (field.message !== undefined && !field.message.typeName.startsWith('google.')) allFields(field.message, found);
  }
  return found;
};

/**
 * Valid specs of every kind, drawn from the descriptors: the same whichever transport wrote or read them, whatever text they
 * stood in, and after a restart of the server.
 */
export const describeRoundTrips = (): void => {
  describe('a random valid spec', () => {
    const app = AppUnderTest.ofSuite({ 'connectors.envAllow': 'CONNECTOR_*' });
    const written = new Map<string, Resource>();
    let clients: Readonly<Record<string, ResourceClient>>;

    beforeAll(async () => {
      clients = resourceClients(app.url);
      await app.rest.ok('POST /v1/manifests:apply', { ns: 'default', text: SURROUNDINGS });
    });

    const client = (name: string): ResourceClient => clients[name] as ResourceClient;
    const read = async (name: string, address: Address): Promise<Resource> => {
      const { resource } = await client(name).getResource(address);
      if (resource === undefined) throw new Error(`${name} answers no resource`);
      return resource;
    };

    /** Writes the stored spec again through every API; nothing may change. */
    const writeBack = async (row: KindRow, address: Address, stored: Resource): Promise<void> => {
      const spec = specOf(row, stored);
      const manifest = manifestOf(row, address, spec);
      for (const name of Object.keys(clients)) {
        const again = await client(name).applyResource({ ...address, manifest });
        expect([name, again.outcome, again.changedPaths]).toEqual([name, ApplyOutcome.UNCHANGED, []]);
      }
      const { namespace, ...meta } = { name: address.name, namespace: address.ns, labels: { trip: 'yes' } };
      const document = {
        apiVersion: 'svc/v1',
        kind: row.kind,
        metadata: row.scope === 'root' ? meta : { namespace, ...meta },
        spec: toJson(row.spec, spec),
      };
      for (const text of [JSON.stringify(document), stringify(document), JSON.stringify([document], null, 2)]) {
        const { results } = await client('gRPC').applyManifests({ ns: 'default', text, manager: 'trip' });
        expect(results.map(({ outcome }) => ApplyOutcome[outcome])).toEqual(['UNCHANGED']);
      }
      const { results } = await client('Connect').applyManifests({ ns: 'default', manifests: [manifest] });
      expect(results.map(({ outcome }) => ApplyOutcome[outcome])).toEqual(['UNCHANGED']);
    };

    it.each(rowsUnderTest)(
      'of $kind is the same by proto, JSON, YAML, REST and in the store',
      async (row) => {
        const runs = Math.ceil((MORE_RUNS[row.kind] ?? RUNS) / SHARE);
        const seen = new Set<string>();
        let index = 0;
        let fallen = 0;
        await fc.assert(
          fc.asyncProperty(wordedMessage(row.spec), async (random) => {
            index += 1;
            const address = addressOf(row, index, random);
            const { spec, isLeast } = await accepted(client('gRPC'), row, { address, random, index });
            if (isLeast) fallen += 1;
            const first = await client('gRPC').applyResource({ ...address, manifest: manifestOf(row, address, spec) });
            expect(first.outcome).toBe(ApplyOutcome.CREATED);
            const stored = await read('gRPC', address);
            fieldsSet(row.spec, toJson(row.spec, specOf(row, stored)), seen);
            for (const name of Object.keys(clients))
              expect([name, equals(row.spec, specOf(row, await read(name, address)), specOf(row, stored))]).toEqual([
                name,
                true,
              ]);
            await writeBack(row, address, stored);
            const after = await read('gRPC', address);
            expect(after.metadata?.generation).toBe(1n);
            expect(equals(row.spec, specOf(row, after), specOf(row, stored))).toBe(true);
            written.set(JSON.stringify(address), after);
          }),
          { numRuns: runs, endOnFailure: true },
        );
        // Few draws say nothing about how good they are.
        if (SHARE > 1) return;
        expect(fallen).toBeLessThanOrEqual(runs / 5);
        expect([...allFields(row.spec)].filter((name) => !seen.has(name))).toEqual([]);
      },
      LONG_MS,
    );

    it.each([0.1, 0.7, 1.3, 0.123456789])(
      'of a float such as %d is one spec by every transport and in every text',
      async (temperature) => {
        const row = kinds.find(({ kind }) => kind === 'Agent') as KindRow;
        const address = { ns: 'default', kind: 'Agent', name: `float-${temperature}`, parent: '' };
        const json = { modelPolicy: { profiles: [{ name: 'default', model: { name: 'echo', temperature } }] } };
        const [first = '', ...others] = Object.keys(clients);
        const spec = fromJson(row.spec, json);
        const made = await client(first).applyResource({ ...address, manifest: manifestOf(row, address, spec) });
        expect(made.outcome).toBe(ApplyOutcome.CREATED);
        for (const name of [...others, first]) {
          const carried = specOf(row, await read(name, address));
          for (const again of [spec, carried]) {
            const manifest = manifestOf(row, address, again);
            expect([name, (await client(name).applyResource({ ...address, manifest })).outcome]).toEqual([
              name,
              ApplyOutcome.UNCHANGED,
            ]);
          }
        }
        const { namespace, ...metadata } = { name: address.name, namespace: 'default', labels: { trip: 'yes' } };
        const document = { kind: 'Agent', metadata: { namespace, ...metadata }, spec: json };
        for (const text of [JSON.stringify(document), stringify(document)]) {
          const { results } = await client('gRPC').applyManifests({ ns: 'default', text });
          expect(results.map(({ outcome }) => ApplyOutcome[outcome])).toEqual(['UNCHANGED']);
        }
        await app.rest.ok(`PUT /v1/ns/default/agents/${address.name}`, { spec: json });
        expect((await read('REST', address)).metadata?.generation).toBe(1n);
      },
    );

    it('reads the same after a restart', async () => {
      expect(new Set([...written.values()].map(({ kind }) => kind)).size).toBe(rowsUnderTest.length);
      await app.restart();
      clients = resourceClients(app.url);
      const byName = new Map(kinds.map((row) => [row.kind, row]));
      for (const [text, before] of written) {
        const address = JSON.parse(text) as Address;
        const row = byName.get(address.kind) as KindRow;
        const now = await read('Connect', address);
        expect(equals(row.spec, specOf(row, now), specOf(row, before))).toBe(true);
        const keep = ({ metadata }: Resource) => [metadata?.uid, metadata?.generation, metadata?.labels];
        expect(keep(now)).toEqual(keep(before));
        expect(toJson(ResourceSchema, now)).toBeDefined();
      }
    });
  });
};
