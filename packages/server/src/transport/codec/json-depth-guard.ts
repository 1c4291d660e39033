import { type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { nestsDeeperThan } from '../../base/index.ts';
import { DecodeReport } from '../../operations/index.ts';

/** True for a string field that holds JSON: `*_json`, or `json` of a custom resource. */
export const isJsonText = (field: DescField): boolean =>
  field.scalar === ScalarType.STRING && (field.name.endsWith('_json') || field.name === 'json');

interface Place {
  readonly path: string;
  readonly report: DecodeReport;
}

type Check = (value: unknown, place: Place) => void;
type FieldCheck = (message: Record<string, unknown>, place: Place) => void;

/**
 * Refuses messages whose JSON texts nest too deep. JSON bodies are bounded as they are parsed; the texts inside of binary
 * messages come through here. Which fields to visit is worked out once per message type.
 */
export class JsonDepthGuard {
  readonly #depth: number;
  readonly #checks = new Map<string, readonly FieldCheck[]>();

  constructor(depth: number) {
    this.#depth = depth;
  }

  /** Throws INVALID_ARGUMENT naming each text that nests too deep. */
  check(desc: DescMessage, message: Message): void {
    const checks = this.#checksOf(desc);
    if (checks.length === 0) return;
    const report = new DecodeReport();
    this.#visit(desc, message, { path: '', report });
    report.throwIfAny();
  }

  #visit(desc: DescMessage, message: unknown, place: Place): void {
    for (const check of this.#checksOf(desc)) check(message as Record<string, unknown>, place);
  }

  #checksOf(desc: DescMessage): readonly FieldCheck[] {
    const known = this.#checks.get(desc.typeName);
    if (known !== undefined) return known;
    const checks = desc.fields.filter((field) => holdsJsonText(field)).map((field) => this.#fieldCheck(field));
    this.#checks.set(desc.typeName, checks);
    return checks;
  }

  #fieldCheck(field: DescField): FieldCheck {
    const check = this.#valueCheck(field);
    const { oneof, localName, jsonName } = field;
    return (message, { path, report }) => {
      const place = { path: path === '' ? jsonName : `${path}.${jsonName}`, report };
      if (oneof === undefined) return check(message[localName], place);
      const member = message[oneof.localName] as { readonly case?: string; readonly value?: unknown };
      if (member.case === localName) check(member.value, place);
    };
  }

  #valueCheck(field: DescField): Check {
    const { message } = field;
    const single: Check =
      message === undefined ? this.#text : (value, place) => value !== undefined && this.#visit(message, value, place);
    if (field.fieldKind === 'list')
      return (list, { path, report }) => {
        for (const [index, item] of (list as readonly unknown[]).entries())
          single(item, { path: `${path}[${index}]`, report });
      };
    if (field.fieldKind !== 'map') return single;
    return (map, { path, report }) => {
      for (const [key, value] of Object.entries(map as object))
        single(value, { path: `${path}[${JSON.stringify(key)}]`, report });
    };
  }

  readonly #text: Check = (text, { path, report }) => {
    if (typeof text === 'string' && nestsDeeperThan(text, this.#depth)) report.tooDeep(path, this.#depth);
  };
}

/** True for a field that is a JSON text or a message with one somewhere below; messages that hold themselves are visited once. */
const holdsJsonText = (field: DescField, seen: ReadonlySet<string> = new Set()): boolean => {
  const { message } = field;
  if (message === undefined) return isJsonText(field);
  if (seen.has(message.typeName) || message.typeName.startsWith('google.')) return false;
  const inner = new Set([...seen, message.typeName]);
  return message.fields.some((each) => holdsJsonText(each, inner));
};
