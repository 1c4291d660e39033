import type { DescEnum, DescField, DescFile, DescMessage } from '@bufbuild/protobuf';
import { nestedTypes } from '@bufbuild/protobuf/reflect';
import { describe, expect, it } from 'vitest';
import * as data from './data.ts';
import * as events from './events.ts';
import * as external from './external.ts';
import * as gateway from './gateway.ts';
import * as resources from './resources.ts';
import { messageFact, typeFact } from './testing/describe-fact.ts';
import { connectorShapes, consumerShapes, fullResources, kindMembers, resourceShapes } from './testing/shape-facts.ts';
import { dataMessages } from './testing/wire-data-facts.ts';
import { enums } from './testing/wire-enum-facts.ts';
import { gatewayMessages } from './testing/wire-gateway-facts.ts';
import { resourceMessages } from './testing/wire-resource-facts.ts';

const messages = new Map<string, DescMessage>();
const enumerations = new Map<string, DescEnum>();
for (const exports of [data, events, external, gateway, resources]) {
  for (const file of Object.values(exports).filter(isFile)) {
    for (const type of nestedTypes(file)) {
      if (type.kind === 'message') messages.set(type.typeName, type);
      if (type.kind === 'enum') enumerations.set(type.typeName, type);
    }
  }
}

function isFile(value: unknown): value is DescFile {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'file';
}

function fieldsOf(name: string): Map<string, DescField> {
  const message = messages.get(name);
  if (message === undefined) throw new Error(`the contract has no message ${name}`);
  return new Map(message.fields.map((field) => [field.name, field]));
}

/** True when the type stated without explicit presence fits; wire.md may add presence that a shape leaves open. */
function fitsShape(field: DescField | undefined, type: string): boolean {
  if (field === undefined) return false;
  const bare = typeFact(field).replace(/^(data|resources)\./, '');
  const wanted = type.replace(/^(data|resources)\./, '');
  return bare === wanted || (!wanted.endsWith('?') && bare === `${wanted}?`);
}

const shapes = [
  ...Object.entries(resourceShapes).map(([name, fields]) => [`svc.resources.${name}`, fields] as const),
  ...Object.entries(consumerShapes).map(([name, fields]) => [`svc.data.${name}`, fields] as const),
  ...Object.entries(connectorShapes).map(([name, fields]) => [`svc.external.${name}`, fields] as const),
];

describe('shapes of specification.md', () => {
  it.each(shapes)('%s has every field with its type', (name, fields) => {
    const actual = fieldsOf(name);
    for (const fact of fields.split(', ')) {
      const [field = '', type = ''] = fact.split(' ');
      const found = actual.get(field);
      expect(fitsShape(found, type), `${fact}, found ${found === undefined ? 'nothing' : typeFact(found)}`).toBe(true);
    }
  });

  it.each(kindMembers)('ResourceSpec and ResourceStatus have the member %s', (member, spec, status) => {
    for (const [holder, type] of [
      ['svc.resources.ResourceSpec', spec],
      ['svc.resources.ResourceStatus', status],
    ] as const) {
      const field = fieldsOf(holder).get(member);
      expect(field?.oneof?.name).toBe('kind');
      expect(field?.message?.typeName).toBe(`svc.resources.${type}`);
    }
  });

  it.each(Object.entries(fullResources))('%s has metadata, spec and %s', (name, status) => {
    expect(messageFact(messages.get(`svc.resources.${name}`)!)).toBe(
      `1 metadata ResourceMeta, 2 spec ${name}Spec, 3 status ${status}`,
    );
  });
});

const wireMessages = { ...dataMessages, ...resourceMessages, ...gatewayMessages };

describe('messages of wire.md', () => {
  it.each(Object.entries(wireMessages))('%s has exactly its fields', (name, fields) => {
    const message = messages.get(`svc.${name}`);
    expect(message && messageFact(message)).toBe(fields);
  });

  it('are all messages there are', () => {
    expect([...messages.keys()].toSorted()).toEqual(
      Object.keys(wireMessages)
        .map((name) => `svc.${name}`)
        .toSorted(),
    );
  });

  it('reserve every number that is missing between two fields', () => {
    const unreserved = [...messages.values()].flatMap((message) =>
      missingNumbers(message)
        .filter((number) => !isReserved(message, number))
        .map((number) => `${message.typeName} ${number}`),
    );
    expect(unreserved).toEqual([]);
    expect(isReserved(messages.get('svc.data.SessionMessage')!, 3)).toBe(true);
  });

  it('are written in proto3 and named in lowerCamelCase in JSON', () => {
    for (const message of messages.values()) {
      expect(message.file.proto.syntax).toBe('proto3');
      for (const field of message.fields) expect(field.jsonName).toMatch(/^[a-z][A-Za-z0-9]*$/);
    }
  });
});

describe('enums of wire.md', () => {
  it.each(Object.entries(enums))('%s has exactly its values, numbered from 0', (name, values) => {
    const found = enumerations.get(`svc.${name}`);
    expect(found?.values.map((value) => value.name)).toEqual(values);
    expect(found?.values.map((value) => value.number)).toEqual(values.map((_, number) => number));
  });

  it('are all enums there are', () => {
    expect([...enumerations.keys()].toSorted()).toEqual(
      Object.keys(enums)
        .map((name) => `svc.${name}`)
        .toSorted(),
    );
  });
});

function missingNumbers(message: DescMessage): number[] {
  const numbers = new Set(message.fields.map((field) => field.number));
  const highest = Math.max(0, ...numbers);
  return Array.from({ length: highest }, (_, index) => index + 1).filter((number) => !numbers.has(number));
}

function isReserved(message: DescMessage, number: number): boolean {
  return message.proto.reservedRange.some(({ start, end }) => start <= number && number < end);
}
