import type { SettingKey, Settings } from './keys/index.ts';

const BUCKET = /^[A-Za-z0-9][\w.-]{2,62}$/;
const PREFIX_MAX = 512;
/** The largest request that S3 services accept. */
const PUT_MAX_BYTES = 5 * 1024 ** 3;
/** Keys without a meaning unless the backend is S3; the region has a default, so whether it was set cannot be known. */
const S3_KEYS = [
  'objects.bucket',
  'objects.endpoint',
  'objects.prefix',
  'objects.accessKey',
  'objects.secretKey',
] as const;

type KeyedText = readonly [key: SettingKey, text: string];

const isKeyPrefix = (prefix: string): boolean =>
  prefix.length <= PREFIX_MAX &&
  /^[\x20-\x7e]*$/.test(prefix) &&
  prefix
    .split('/')
    .slice(0, -1)
    .every((segment) => !['', '.', '..'].includes(segment));

const hasCredentials = (endpoint: string | undefined): boolean => {
  const { username, password } = new URL(endpoint ?? 'http://none');
  return `${username}${password}` !== '';
};

/** Errors in the settings of object storage, as texts by key. */
export const findObjectFaults = (settings: Settings): readonly KeyedText[] => {
  if (settings['objects.backend'] === 'local')
    return S3_KEYS.filter((key) => settings[key] !== undefined).map((key) => [
      key,
      'has no effect while objects.backend is local: set objects.backend: s3 or remove it',
    ]);
  const { 'objects.bucket': bucket, 'objects.accessKey': accessKey, 'objects.secretKey': secretKey } = settings;
  const rules: readonly (readonly [isBroken: boolean, ...KeyedText])[] = [
    [bucket === undefined, 'objects.backend', 's3 needs objects.bucket'],
    [
      bucket !== undefined && !BUCKET.test(bucket),
      'objects.bucket',
      'must be the name of a bucket: 3 to 63 letters, digits, ".", "-" or "_"',
    ],
    [
      (accessKey === undefined) !== (secretKey === undefined),
      accessKey === undefined ? 'objects.secretKey' : 'objects.accessKey',
      'objects.accessKey and objects.secretKey belong together',
    ],
    [
      hasCredentials(settings['objects.endpoint']),
      'objects.endpoint',
      'must hold no credentials: they belong in objects.accessKey and objects.secretKey',
    ],
    [
      !isKeyPrefix(settings['objects.prefix'] ?? ''),
      'objects.prefix',
      `must be at most ${PREFIX_MAX} ASCII characters without a leading "/" and without empty, "." or ".." segments`,
    ],
    [
      settings['limits.objectBytes'] > PUT_MAX_BYTES,
      'limits.objectBytes',
      'must be at most 5GiB with objects.backend s3: an S3 service takes no more in one piece',
    ],
  ];
  return rules.flatMap(([isBroken, key, text]) => (isBroken ? [[key, text] as const] : []));
};
