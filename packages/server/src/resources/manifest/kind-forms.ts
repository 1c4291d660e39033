import { isJsonMap, type JsonData, type JsonMap } from '../canonical-json.ts';
import type { FindingReport } from './manifest-finding.ts';

/** The last step to the stored form of a spec, where it is more than another name (PL-1.2). */
export const settleSpec = (kind: string, json: JsonMap, report: FindingReport): JsonMap =>
  kind === 'Secret' ? settleSecret(json, report) : json;

/** Plain values of a Secret become base64 beside the others. */
const settleSecret = (json: JsonMap, report: FindingReport): JsonMap => {
  const { stringData, ...rest } = json;
  if (!isJsonMap(stringData)) return json;
  const data = isJsonMap(rest['data']) ? rest['data'] : {};
  const added = Object.entries(stringData).map(([key, value]): [string, JsonData] => {
    const at = report.positionOf(`spec.stringData[${key}]`);
    report.place(`spec.data[${key}]`, at);
    if (Object.hasOwn(data, key))
      report.add(at, `spec.stringData[${key}]`, { text: 'is given in data too', reason: 'DUPLICATE_FIELD' });
    return [key, Buffer.from(String(value), 'utf8').toString('base64')];
  });
  return { ...rest, data: { ...data, ...Object.fromEntries(added) } };
};
