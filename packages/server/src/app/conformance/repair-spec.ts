type Json = Readonly<Record<string, unknown>>;

/** Members of a field path: `spec.steps[0].id` as `steps`, `0`, `id`; keys of maps are in brackets. */
const membersOf = (field: string): readonly string[] => {
  const members: string[] = [];
  let rest = field.replace(/^spec/, '');
  while (rest !== '') {
    const [whole, plain, bracketed] = /^\.([^.[]+)|^\[(.*?)\](?=$|[.[])|^./s.exec(rest) ?? [rest];
    const member = plain ?? bracketed;
    if (member !== undefined) members.push(member);
    rest = rest.slice(whole.length);
  }
  return members;
};

const without = (value: unknown, members: readonly string[]): unknown => {
  const [first, ...rest] = members;
  if (first === undefined) return undefined;
  if (Array.isArray(value)) {
    const index = Number(first);
    if (!(index in value)) return undefined;
    const inner = without(value[index], rest);
    return inner === undefined ? value.filter((_, at) => at !== index) : value.with(index, inner);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  // Long keys are shown by their beginning.
  const key = Object.keys(value).find((name) => name === first || (first.length >= 40 && name.startsWith(first)));
  if (key === undefined) return undefined;
  const inner = without((value as Json)[key], rest);
  const { [key]: _dropped, ...others } = value as Json;
  return inner === undefined ? others : { ...others, [key]: inner };
};

/**
 * The spec without what is refused at `field`, the smallest part around it that is there. Where nothing is, the least spec of
 * the kind gives that member.
 */
export const withoutField = (spec: Json, field: string, least: Json): Json => {
  const members = membersOf(field);
  const [top = ''] = members;
  const cut = without(spec, members) as Json | undefined;
  if (cut !== undefined) return cut;
  return top in least ? { ...spec, [top]: least[top] } : spec;
};
