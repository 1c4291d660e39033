import { canonicalJson, isJsonMap, type JsonData, type JsonMap, parseJsonMap } from '../../canonical-json.ts';
import { findKind } from '../../kinds.ts';
import type { FindingReport } from '../manifest-finding.ts';
import { storedSpec } from './stored-spec.ts';

/** The last step to the stored form of a spec, for kinds that need more than other names. */
export const settleSpec = (kind: string, json: JsonMap, report: FindingReport): JsonMap => {
  if (kind === 'Template') return settleTemplate(json);
  return kind === 'Secret' ? settleSecret(json, report) : json;
};

/** A Template contains a spec of its kind, which manifests write as they write that kind. */
const settleTemplate = (json: JsonMap): JsonMap => {
  const { kind, specJson } = json;
  const row = typeof kind === 'string' ? findKind(kind) : undefined;
  const spec = typeof specJson === 'string' ? parseJsonMap(specJson) : undefined;
  return row === undefined || spec === undefined
    ? json
    : { ...json, specJson: canonicalJson(storedSpec(row.spec, spec)) };
};

/** Plain values of a Secret become base64 values, and override existing ones. */
const settleSecret = (json: JsonMap, report: FindingReport): JsonMap => {
  const { stringData, ...rest } = json;
  if (!isJsonMap(stringData)) return json;
  const data = isJsonMap(rest['data']) ? rest['data'] : {};
  const added = Object.entries(stringData).map(([key, value]): [string, JsonData] => {
    report.place(`spec.data[${key}]`, report.positionOf(`spec.stringData[${key}]`));
    return [key, Buffer.from(String(value), 'utf8').toString('base64')];
  });
  return { ...rest, data: { ...data, ...Object.fromEntries(added) } };
};
