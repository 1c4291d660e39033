import { fromJson, type JsonObject, type JsonValue, toJson } from '@bufbuild/protobuf';
import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';

/** The spec in a template, as it looks in an agent. */
export const templateSpec = (specJson: string): JsonObject =>
  toJson(
    AgentSpecSchema,
    fromJson(AgentSpecSchema, JSON.parse(specJson === '' ? '{}' : specJson) as JsonObject),
  ) as JsonObject;

/** The agent's spec with the fields of the template over it: maps merge, lists are replaced, kept fields stay. */
export const rebasedSpec = (own: AgentSpec, template: JsonObject, kept: ReadonlySet<string>): AgentSpec => {
  const taken = Object.fromEntries(Object.entries(template).filter(([field]) => !kept.has(field)));
  return fromJson(AgentSpecSchema, mergePatch(toJson(AgentSpecSchema, own), taken) as JsonObject);
};

const isMap = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396. */
const mergePatch = (before: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (!isMap(patch)) return patch;
  const merged: Record<string, JsonValue> = isMap(before) ? { ...before } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
};
