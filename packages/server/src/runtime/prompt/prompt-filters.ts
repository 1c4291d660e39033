import { applyFilter, isFilter } from '../../resources/expressions/index.ts';

/** True for the name of a filter of the prompt language: those of templates, and `default`. */
export const isPromptFilter = (name: string): boolean => name === 'default' || isFilter(name);

/** The value after a filter; only `default` reads the argument, which replaces an empty value. */
export const applyPromptFilter = (
  value: string,
  filter: { readonly name: string; readonly argument: string },
): string => {
  if (isFilter(filter.name)) return applyFilter(value, filter.name);
  return filter.name === 'default' && value === '' ? filter.argument : value;
};
