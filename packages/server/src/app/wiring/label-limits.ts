import type { LabelLimits } from '../../resources/index.ts';
import type { Config } from '../config/index.ts';

/** `limits.labels` and `limits.annotationsBytes`. */
export const labelLimits = ({ settings }: Config): LabelLimits => ({
  labels: settings['limits.labels'],
  annotationsBytes: settings['limits.annotationsBytes'],
});
