import { expect, it } from 'vitest';
import { uploadOrigins } from './upload-origins.ts';

const bucket = (more: object) => ({
  'objects.backend': 's3' as const,
  'objects.bucket': 'files',
  'objects.endpoint': undefined,
  'objects.region': 'eu-central-1',
  ...more,
});

it('names no other origin where files are kept by the server itself', () => {
  expect(uploadOrigins(bucket({ 'objects.backend': 'local' }))).toEqual([]);
});

it('names the origin of a service with an address of its own', () => {
  expect(uploadOrigins(bucket({ 'objects.endpoint': 'https://objects.example.org:9000/base' }))).toEqual([
    'https://objects.example.org:9000',
  ]);
});

it('names the hosts of a region, with the bucket and without', () => {
  expect(uploadOrigins(bucket({}))).toEqual([
    'https://s3.eu-central-1.amazonaws.com',
    'https://files.s3.eu-central-1.amazonaws.com',
  ]);
  expect(uploadOrigins(bucket({ 'objects.region': 'cn-north-1' }))[0]).toBe('https://s3.cn-north-1.amazonaws.com.cn');
});
