import { CommandFailure } from '../failure.ts';

/** Reads `{.items[*].metadata.name}` or `.status.phase`: fields, `[n]` and `[*]`; several values are joined by spaces. */
export const readJsonPath = (value: unknown, path: string): string => {
  const inner = path.trim().replace(/^\{/, '').replace(/\}$/, '').replace(/^\$/, '');
  const steps = [...inner.matchAll(/\.([A-Za-z_][\w-]*)|\['([^']+)'\]|\[(\d+|\*)\]/g)];
  const isWhole = steps.map((step) => step[0]).join('') === inner;
  if (!isWhole || steps.length === 0) {
    throw new CommandFailure(`jsonpath ${path} is not understood`, {
      hint: 'write it as {.metadata.name} or {.items[*].metadata.name}',
    });
  }
  let values: unknown[] = [value];
  for (const [, plain, quoted, index] of steps)
    values = values.flatMap((current) => step(current, plain ?? quoted, index));
  return values.map(show).join(' ');
};

const step = (value: unknown, name: string | undefined, index: string | undefined): unknown[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (name !== undefined) {
    const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    return member === undefined ? [] : [member];
  }
  if (!Array.isArray(value)) return [];
  if (index === '*') return value;
  const item: unknown = value[Number(index)];
  return item === undefined ? [] : [item];
};

const show = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
