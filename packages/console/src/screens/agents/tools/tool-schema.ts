import { isValues, type JsonSchema, schemaOf } from '../../../ui/schema/schema.ts';

/** Whether a tool takes any argument at all. */
export const takesArguments = (schemaJson: string): boolean => {
  const schema: (JsonSchema & { readonly additionalProperties?: unknown }) | undefined = schemaOf(schemaJson);
  const { properties, additionalProperties } = schema ?? {};
  return additionalProperties !== false || (isValues(properties) && Object.keys(properties).length > 0);
};
