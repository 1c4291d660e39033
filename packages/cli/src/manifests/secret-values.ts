import { isMap } from '../json-value.ts';

type Json = Readonly<Record<string, unknown>>;

/** Maps and texts whose values are never printed, by kind. */
const SECRET_PATHS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Secret: [['spec', 'data']],
  McpServer: [['spec', 'headers']],
  McpServerBinding: [['spec', 'headers']],
  Agent: [['spec', 'runtime', 'acp', 'env']],
  ConnectorClass: [['spec', 'auth', 'apiKey']],
  SandboxClass: [
    ['spec', 'credentialsJson'],
    ['spec', 'providerConfigJson'],
  ],
};

/** Custom kinds may be named like a property of every object. */
const secretPaths = (kind: string) => (Object.hasOwn(SECRET_PATHS, kind) ? (SECRET_PATHS[kind] ?? []) : []);

/** Both sides with secret values as `(equal)` or `(live)` and `(changed)`. */
export const hideSecrets = (kind: string, before: Json, after: Json): readonly [Json, Json] =>
  secretPaths(kind).reduce<readonly [Json, Json]>(
    ([left, right], path) => {
      const [live, next] = [valueAt(left, path), valueAt(right, path)];
      return [replaceAt(left, path, hide(live, next, '(live)')), replaceAt(right, path, hide(next, live, '(changed)'))];
    },
    [before, after],
  );

const hide = (value: unknown, other: unknown, word: string): unknown => {
  if (isMap(value)) {
    const others = isMap(other) ? other : {};
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hide(item, others[key], word)]));
  }
  return value === undefined ? undefined : value === other ? '(equal)' : word;
};

const valueAt = (map: Json, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isMap(value) ? value[name] : undefined), map);

const replaceAt = (map: Json, [name = '', ...rest]: readonly string[], value: unknown): Json => {
  if (value === undefined || !(name in map)) return map;
  const inner = map[name];
  return { ...map, [name]: rest.length === 0 ? value : isMap(inner) ? replaceAt(inner, rest, value) : inner };
};
