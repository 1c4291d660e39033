import { type Json, mergeMember, openJson, type ResourceJson, wholeResource } from '../../../operations/index.ts';

/** Members of a template's spec that hold the whole rendered spec. */
const SPEC_JSON = ['specJson', 'spec_json', 'spec'];

/** Template bodies: the rendered spec may be given as `spec.spec` or as the fields of `spec` themselves. */
const foldTemplateSpec = (resource: ResourceJson): void => {
  const { spec } = resource;
  if (spec === undefined) return;
  const folded: Json = {};
  const fields = openJson();
  for (const key of Object.keys(spec)) {
    if (key === 'kind' || key === 'metadata') folded[key] = spec[key];
    else if (SPEC_JSON.includes(key)) mergeMember(folded, 'specJson', { value: spec[key], at: `spec.${key}` });
    else fields[key] = spec[key];
  }
  if (Object.keys(fields).length > 0) mergeMember(folded, 'specJson', { value: fields, at: 'spec' });
  resource.spec = folded;
};

/** CreateAgentTemplate: the whole template, its spec to render in three forms. */
export const templateBody = wholeResource(foldTemplateSpec);
