import { deriveDefaults } from './derived-defaults.ts';
import type { HostFacts } from './host-facts.ts';
import { keyRows, type Settings, type WrittenSettings } from './keys/index.ts';
import { type Located, locate, type Origin, type Report } from './located.ts';

/** Sources in falling precedence: flag, environment, file. */
type LayeredSources = readonly ReadonlyMap<string, Located>[];

interface SettingsWorld {
  readonly cwd: string;
  readonly host: HostFacts;
  readonly variable: (name: string) => string | undefined;
  readonly readFile: (path: string) => string | undefined;
  readonly report: Report;
}

interface ReadSettings {
  readonly settings: Settings;
  /** Where each value that is not a default was written. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** False when a value was refused; rules about several keys are skipped then: one mistake, one line. */
  readonly isSound: boolean;
}

/** The effective value of every key, each checked alone; refused values are reported and treated as unset. */
export const readSettings = (sources: LayeredSources, world: SettingsWorld): ReadSettings => {
  const values: Record<string, unknown> = {};
  const origins = new Map<string, Origin>();
  let refused = 0;
  const context = { ...world, report: countErrors(world.report, () => refused++) };
  for (const [key, row] of keyRows) {
    const located = sources.map((source) => source.get(key)).find((value) => value !== undefined);
    const parsed = located === undefined ? undefined : row.kind.parse(located, { ...context, key });
    if (located !== undefined && parsed !== undefined) origins.set(key, located.origin);
    values[key] = parsed ?? fallback(key, context);
  }
  // Every key of the table was read by its own kind, as WrittenSettings says.
  return { settings: deriveDefaults(values as unknown as WrittenSettings, world), origins, isSound: refused === 0 };
};

const countErrors =
  (report: Report, onError: () => void): Report =>
  (fault) => {
    if (fault.severity === 'error') onError();
    report(fault);
  };

/** Constant defaults are in parsed form already, except paths, which start at the working directory. */
const fallback = (key: string, world: SettingsWorld): unknown => {
  const row = keyRows.get(key);
  if (row?.kind.label !== 'path' || row.fallback === undefined) return row?.fallback;
  const origin: Origin = { source: 'default', label: 'default', directory: world.cwd };
  return row.kind.parse(locate(row.fallback, origin), { ...world, key });
};
