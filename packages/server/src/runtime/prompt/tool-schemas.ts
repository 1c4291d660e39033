import type { ModelTool } from '../../models/contract.ts';

/** Tools sorted by name with null members of their schemas removed; the same list is made and the same
 * tool cleaned once. */
export const createSchemaCleaner = (): ((tools: readonly ModelTool[]) => readonly ModelTool[]) => {
  const cleaned = new WeakMap<ModelTool['inputSchema'], ModelTool['inputSchema']>();
  const schemaOf = (tool: ModelTool): ModelTool['inputSchema'] => {
    const known = cleaned.get(tool.inputSchema);
    if (known !== undefined) return known;
    const schema = withoutNulls(tool.inputSchema) as ModelTool['inputSchema'];
    cleaned.set(tool.inputSchema, schema);
    return schema;
  };
  const lists = new WeakMap<readonly ModelTool[], readonly ModelTool[]>();
  return (tools) => {
    const known = lists.get(tools);
    if (known !== undefined) return known;
    const list = tools
      .map((tool) => ({ name: tool.name, description: tool.description, inputSchema: schemaOf(tool) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    lists.set(tools, list);
    return list;
  };
};

/** Members whose value is null go; null inside arrays (an enum's value) stays. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
};
