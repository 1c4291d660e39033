import type { Message } from '@bufbuild/protobuf';
import {
  API_VERSION,
  canonicalJson,
  hasSensitiveFields,
  type JsonMap,
  judgedConditions,
  type KindRow,
  keepSensitive,
  kinds,
  messageFromMap,
  messageFromText,
  messageText,
  parseJsonMap,
  specNormaliser,
} from '../resources/index.ts';

/** Conversions between the stored texts of a kind and its messages. */
export interface KindForms {
  /** Undefined for custom kinds, whose spec message is RawResourceSpec. */
  readonly row: KindRow | undefined;
  readSpec(text: string): Message;
  specText(spec: Message): string;
  statusText(status: Message): string;
  /** The spec with stored values where masked ones were written back. */
  keepMasked(storedText: string, spec: Message): Message;
  /** The spec with its JSON texts and floats in canonical form. */
  normalise(spec: Message): Message;
  /** Status of a fresh resource of a kind without rules of its own. */
  readyStatus(now: number): string;
}

const builtInForms = (row: KindRow): KindForms => {
  return {
    row,
    readSpec: (text) => messageFromText(row.spec, text),
    specText: (spec) => messageText(row.spec, spec),
    statusText: (status) => messageText(row.status, status),
    keepMasked: (storedText, spec) => {
      if (!hasSensitiveFields(row.kind)) return spec;
      const stored = parseJsonMap(storedText) ?? {};
      const written = parseJsonMap(messageText(row.spec, spec)) ?? {};
      return messageFromMap(row.spec, keepSensitive(row.kind, stored, written));
    },
    normalise: specNormaliser(row.spec),
    readyStatus: (now) => {
      const conditions = judgedConditions([], READY, { now, generation: 1 }).map(conditionJson);
      return canonicalJson({ observedGeneration: '1', phase: 'Ready', conditions });
    },
  };
};

const READY = { phase: 'Ready', findings: [] } as const;

const conditionJson = (condition: ReturnType<typeof judgedConditions>[number]): JsonMap => ({
  type: condition.type,
  status: condition.status,
  reason: condition.reason,
  lastTransitionTime: String(condition.lastTransitionTime),
  observedGeneration: String(condition.observedGeneration),
});

const rawJson = (message: Message): string => {
  const { json } = message as Message & { readonly json?: string };
  return canonicalJson(parseJsonMap(json ?? '') ?? {});
};

const rawForms: KindForms = {
  row: undefined,
  readSpec: (text) => ({ $typeName: 'svc.resources.RawResourceSpec', json: text }) as Message,
  specText: rawJson,
  statusText: rawJson,
  keepMasked: (_storedText, spec) => spec,
  normalise: (spec) => spec,
  readyStatus: () => '{}',
};

const builtIn: ReadonlyMap<string, KindForms> = new Map(kinds.map((row) => [row.kind, builtInForms(row)]));

/** Forms of a built-in or custom kind. */
export const kindForms = (kind: string, apiVersion: string): KindForms =>
  (apiVersion === API_VERSION ? builtIn.get(kind) : undefined) ?? rawForms;
