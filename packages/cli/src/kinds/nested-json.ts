import type { JsonObject } from '@bufbuild/protobuf';
import { isMap } from '../json-value.ts';

/** Fields with JSON text that manifests may hold in parsed form: `specJson` as `spec`. */
const NESTED: ReadonlySet<string> = new Set([
  'specJson',
  'inputJson',
  'inputSchemaJson',
  'outputSchemaJson',
  'outputJson',
  'whenJson',
  'resumeSchemaJson',
  'schemaJson',
  'providerConfigJson',
  'credentialsJson',
]);

/** Texts that hold a JSON object become that object; manifests accept both. */
export const nestedJson = (map: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(map).map(([name, value]): [string, JsonObject[string]] => {
      const object = NESTED.has(name) && typeof value === 'string' ? jsonMap(value) : undefined;
      if (object !== undefined) return [name.slice(0, -'Json'.length), object];
      if (Array.isArray(value)) return [name, value.map((item) => (isMap(item) ? nestedJson(item) : item))];
      return [name, isMap(value) ? nestedJson(value) : value];
    }),
  );

const jsonMap = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    // A text that is not JSON is shown as it is.
    return undefined;
  }
};
