import type { Kind } from '../kinds/index.ts';

/** One setting: how it is written, its default, and its sentence in the reference. */
export interface KeyRow<T> {
  readonly kind: Kind<Exclude<T, undefined>>;
  /** In the parsed unit (milliseconds, bytes); undefined when there is none or it is derived. */
  readonly fallback: T;
  /** How the default is derived when it is not a constant. */
  readonly derived?: string;
  readonly doc: string;
}

/** A setting with a constant default. */
export const key = <T>(kind: Kind<T>, fallback: NoInfer<T>, doc: string): KeyRow<T> => ({
  kind: kind as Kind<Exclude<T, undefined>>,
  fallback,
  doc,
});

/** A setting that may be absent; `derived` says what applies then. */
export const optional = <T>(kind: Kind<T>, doc: string, derived?: string): KeyRow<T | undefined> => ({
  kind: kind as Kind<Exclude<T, undefined>>,
  fallback: undefined,
  doc,
  ...(derived === undefined ? {} : { derived }),
});
