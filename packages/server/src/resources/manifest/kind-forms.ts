import { isJsonMap, type JsonData, type JsonMap } from '../canonical-json.ts';
import type { FindingReport } from './manifest-finding.ts';

/** The last step to the stored form of a spec, where it is more than another name (PL-1.2). */
export const settleSpec = (kind: string, json: JsonMap, report: FindingReport): JsonMap =>
  kind === 'Secret' ? settleSecret(json, report) : json;

/** Plain values of a Secret become base64 beside the others, and override them (PL-8.1). */
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
