import { Fault, type FieldViolation } from '../base/index.ts';

const MOST_VIOLATIONS = 50;

/** Collects what is wrong with one request, so that all field faults come in one answer. */
export class DecodeReport {
  readonly violations: FieldViolation[] = [];
  readonly #ignoresUnknown: boolean;

  /** `ignoresUnknown`: fields that the message does not have are left out without a fault. */
  constructor({ ignoresUnknown = false }: { readonly ignoresUnknown?: boolean } = {}) {
    this.#ignoresUnknown = ignoresUnknown;
  }

  /** True once no further fault is kept: what reads may stop. */
  get isFull(): boolean {
    return this.violations.length >= MOST_VIOLATIONS;
  }

  add(field: string, description: string, reason = 'FIELD_INVALID'): undefined {
    if (this.violations.length < MOST_VIOLATIONS) this.violations.push({ field, description, reason });
    return undefined;
  }

  unknownField(field: string): undefined {
    return this.#ignoresUnknown ? undefined : this.add(field, 'unknown field', 'FIELD_UNKNOWN');
  }

  /** A JSON text inside a field that nests deeper than `limits.jsonDepth`. */
  tooDeep(field: string, depth: number): undefined {
    return this.add(field, `nests deeper than ${depth}`, 'JSON_INVALID');
  }

  /** Throws INVALID_ARGUMENT when anything was added; the first violation names the reason. */
  throwIfAny(): void {
    const [first] = this.violations;
    if (first === undefined) return;
    const more = this.violations.length > 1 ? ` (and ${this.violations.length - 1} more)` : '';
    const subject = first.field === '' ? '' : `${first.field}: `;
    throw new Fault('INVALID_ARGUMENT', first.reason, `${subject}${first.description}${more}`, {
      violations: this.violations,
    });
  }
}

/** INVALID_ARGUMENT JSON_INVALID for a text that is not a JSON object or nests too deep. */
export const jsonInvalid = (description: string): Fault =>
  new Fault('INVALID_ARGUMENT', 'JSON_INVALID', description, {
    violations: [{ field: '', description, reason: 'JSON_INVALID' }],
  });
