import { describe, expect, it } from 'vitest';
import { faultsOf } from './testing/index.ts';

const faults = (text: string): readonly string[] =>
  faultsOf({ files: { '/work/svc.yaml': text } }).map((line) => line.replace(/^svc\.yaml:\d+:\d+: /, ''));

const s3 = (more: string): string => `objects: {backend: s3, bucket: my-bucket.1, ${more}}`;

describe('objects in a bucket', () => {
  it.each([
    s3(''),
    s3('accessKey: a, secretKey: b, region: eu-central-1'),
    s3('endpoint: "https://minio.example:9000", prefix: "svc/one/"'),
    s3('prefix: "svc-"'),
    `${s3('')}\nlimits: {objectBytes: 5GiB}`,
    'objects: {region: eu-central-1}',
  ])('are fine as %s', (text) => {
    expect(faults(text)).toEqual([]);
  });

  it.each([
    ['objects: {backend: s3}', 'objects.backend: s3 needs objects.bucket'],
    ...['ab', 'my bucket', '-a-b', 'a/b', 'x'.repeat(64)].map((name) => [
      `objects: {backend: s3, bucket: "${name}"}`,
      'objects.bucket: must be the name of a bucket: 3 to 63 letters, digits, ".", "-" or "_"',
    ]),
    [s3('accessKey: a'), 'objects.accessKey: objects.accessKey and objects.secretKey belong together'],
    [s3('secretKey: a'), 'objects.secretKey: objects.accessKey and objects.secretKey belong together'],
    ...['http://a@host', 'http://:b@host'].map((endpoint) => [
      s3(`endpoint: "${endpoint}"`),
      'objects.endpoint: must hold no credentials: they belong in objects.accessKey and objects.secretKey',
    ]),
    ...['/a/', 'a//b/', './', 'a/../b', 'ä/', 'x'.repeat(513)].map((prefix) => [
      s3(`prefix: "${prefix}"`),
      'objects.prefix: must be at most 512 ASCII characters without a leading "/" and without empty, "." or ".." segments',
    ]),
    [
      `${s3('')}\nlimits: {objectBytes: 6GiB}`,
      'limits.objectBytes: must be at most 5GiB with objects.backend s3: an S3 service takes no more in one piece',
    ],
    ...['bucket: abc', 'endpoint: "http://a"', 'prefix: a', 'accessKey: a', 'secretKey: a'].map((setting) => [
      `objects: {${setting}}`,
      `objects.${setting.replace(/:.*/, '')}: has no effect while objects.backend is local: set objects.backend: s3 or remove it`,
    ]),
  ])('are refused as %s', (text, expected) => {
    expect(faults(text)).toEqual([expected]);
  });
});
