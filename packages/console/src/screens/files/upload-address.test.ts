import { describe, expect, it } from 'vitest';
import { uploadAddress } from './upload-address.ts';

const PAGE = 'http://127.0.0.1:8080/console/ns/acme/files';

describe('uploadAddress', () => {
  it('sends what this server takes to where the page came from', () => {
    expect(uploadAddress('https://svc.example.org/v1/uploads/0a1?exp=5&sig=x_-', PAGE)).toBe(
      '/v1/uploads/0a1?exp=5&sig=x_-',
    );
    expect(uploadAddress('/v1/uploads/0a1?exp=5&sig=x', PAGE)).toBe('/v1/uploads/0a1?exp=5&sig=x');
  });

  it('leaves links to a store elsewhere as they are', () => {
    const stored = 'https://bucket.example.net/objects/v1/uploads/0a1?X-Signature=a%2Fb';
    expect(uploadAddress(stored, PAGE)).toBe(stored);
    expect(uploadAddress('https://bucket.example.net/v1/uploadsish/a', PAGE)).toBe(
      'https://bucket.example.net/v1/uploadsish/a',
    );
  });
});
