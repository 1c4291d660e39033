import type { Config } from '../config/index.ts';

type ObjectSettings = Pick<
  Config['settings'],
  'objects.backend' | 'objects.bucket' | 'objects.endpoint' | 'objects.region'
>;

/**
 * Origins other than this server's to which the console sends large files: those of the bucket, whose signed links name it in the host,
 * or in the path where the service has an address of its own or the name of the bucket has a dot.
 */
export const uploadOrigins = (settings: ObjectSettings): readonly string[] => {
  const { 'objects.bucket': bucket, 'objects.endpoint': endpoint, 'objects.region': region } = settings;
  if (settings['objects.backend'] !== 's3') return [];
  if (endpoint !== undefined) return [new URL(endpoint).origin];
  const service = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  return [`https://${service}`, `https://${bucket}.${service}`];
};
