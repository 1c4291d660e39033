import { posix } from 'node:path';
import { maskCode } from './mask-code.ts';

/**
 * One import or re-export. `type` is erased before running; `value` runs the other module first; `dynamic` is
 * `import()`. `import { type A }` is a value import: only the names are erased, the module still runs.
 */
export interface ImportStatement {
  readonly specifier: string;
  readonly kind: 'value' | 'type' | 'dynamic';
}

const statement =
  /\bimport\s*\(\s*"(\d+)"|\b(?:import|export)\s+(?:(type)\s+(?!from\b|,))?(?:[\w$*{},\s]*?[\s}*]from\s*)"(\d+)"|\bimport\s*"(\d+)"/g;

/** All imports of a file in order. Specifiers that are computed at run time are not seen. */
export function scanImports(text: string): readonly ImportStatement[] {
  const { code, strings } = maskCode(text);
  return [...code.matchAll(statement)].map((match) => {
    const specifier = strings[Number(match[1] ?? match[3] ?? match[4])] ?? '';
    if (match[1] !== undefined) return { specifier, kind: 'dynamic' };
    return { specifier, kind: match[2] === 'type' ? 'type' : 'value' };
  });
}

/** The file a relative specifier names, relative to the root; undefined for packages and `node:` modules. */
export function resolveRelative(importer: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(importer), specifier) : undefined;
}

/** `@scope/name` or `name` of a package specifier, without the sub-path. */
export function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
