// @service protoc
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackages } from './installed/index.ts';

const protoc = process.env['SVC_SERVICE_PROTOC'];
const root = fileURLToPath(new URL('..', import.meta.url));
/** Where `google/protobuf/*.proto` is: most installations of protoc bring it, Debian has it in a package of its own. */
const wellKnown = join(root, 'node_modules', 'google-proto-files');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-protoc-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Compiles every file below `proto/svc`; answers what protoc says, and the services it found. */
const compile = (proto: string, flags: readonly string[]) => {
  const files = globSync('svc/**/*.proto', { cwd: proto });
  const set = join(folder, 'set.binpb');
  const words = [`--proto_path=${proto}`, ...flags, `--descriptor_set_out=${set}`, ...files];
  const { status, stderr } = spawnSync(protoc ?? '', words, { encoding: 'utf8' });
  const services =
    status === 0 ? fromBinary(FileDescriptorSetSchema, readFileSync(set)).file.flatMap(({ service }) => service) : [];
  return { status, stderr, services: services.map(({ name }) => name) };
};

describe.skipIf(protoc === undefined)('plain protoc', () => {
  it('compiles proto/ of the checkout with the flag of docs/api.md', () => {
    const flag = '--proto_path=node_modules/google-proto-files';
    expect(readFileSync(join(root, 'docs', 'api.md'), 'utf8')).toContain(flag);
    const { status, stderr, services } = compile(join(root, 'proto'), [`--proto_path=${wellKnown}`]);
    expect([status, stderr]).toEqual([0, '']);
    expect(services).toContain('GatewayService');
  });

  it('compiles proto/ of the packed package, which has google/api in it', async () => {
    await buildPackages(folder, ['api']);
    const proto = join(folder, 'packages', 'api', 'proto');
    expect(globSync('google/**/*.proto', { cwd: proto }).sort()).toEqual([
      'google/api/annotations.proto',
      'google/api/http.proto',
    ]);
    const { status, stderr, services } = compile(proto, [`--proto_path=${wellKnown}`]);
    expect([status, stderr]).toEqual([0, '']);
    expect(services).toContain('GatewayService');
  });
});
