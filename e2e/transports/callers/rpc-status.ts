import { create, createFileRegistry, fromBinary, type JsonObject, type Message, toJson } from '@bufbuild/protobuf';
import {
  type FieldDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';

type Field = Partial<Omit<FieldDescriptorProto, '$typeName' | '$unknown'>>;

const field = (name: string, number: number, rest: Field = {}): Field => ({
  name,
  jsonName: name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  number,
  label: Label.OPTIONAL,
  type: Type.STRING,
  ...rest,
});
const list = (typeName: string): Field => ({ label: Label.REPEATED, type: Type.MESSAGE, typeName });

/**
 * The published error model of gRPC (google/rpc/status.proto, error_details.proto) as far as it is used here, written down
 * apart from the server so that the tests do not judge it by its own tables.
 */
const rpcTypes = (() => {
  const any = create(FileDescriptorProtoSchema, {
    name: 'status_details.proto',
    package: 'google.rpc',
    syntax: 'proto3',
    messageType: [
      { name: 'AnyDetail', field: [field('type_url', 1), field('value', 2, { type: Type.BYTES })] },
      {
        name: 'Status',
        field: [
          field('code', 1, { type: Type.INT32 }),
          field('message', 2),
          field('details', 3, list('.google.rpc.AnyDetail')),
        ],
      },
      {
        name: 'ErrorInfo',
        field: [
          field('reason', 1),
          field('domain', 2),
          field('metadata', 3, list('.google.rpc.ErrorInfo.MetadataEntry')),
        ],
        nestedType: [
          { name: 'MetadataEntry', field: [field('key', 1), field('value', 2)], options: { mapEntry: true } },
        ],
      },
      {
        name: 'BadRequest',
        field: [field('field_violations', 1, list('.google.rpc.BadRequest.FieldViolation'))],
        nestedType: [
          { name: 'FieldViolation', field: [field('field', 1), field('description', 2), field('reason', 3)] },
        ],
      },
      {
        name: 'RetryInfo',
        field: [field('retry_delay', 1, { type: Type.MESSAGE, typeName: '.google.rpc.RetryInfo.Delay' })],
        nestedType: [
          {
            name: 'Delay',
            field: [field('seconds', 1, { type: Type.INT64 }), field('nanos', 2, { type: Type.INT32 })],
          },
        ],
      },
    ],
  });
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [any] }));
})();

const schemaOf = (type: string) => {
  const schema = rpcTypes.getMessage(type);
  if (schema === undefined) throw new Error(`the contract names no error detail ${type}`);
  return schema;
};

/** One detail as REST shows it. */
export const readDetail = (type: string, bytes: Uint8Array): JsonObject => {
  const schema = schemaOf(type);
  const detail = toJson(schema, fromBinary(schema, bytes)) as JsonObject;
  const delay = detail['retryDelay'] as { seconds?: string; nanos?: number } | undefined;
  const seconds = delay === undefined ? undefined : Number(delay.seconds ?? 0) + (delay.nanos ?? 0) / 1e9;
  return { '@type': type, ...detail, ...(seconds === undefined ? {} : { retryDelay: `${seconds}s` }) };
};

/** Details of `grpc-status-details-bin`. */
export const readStatusDetails = (bytes: Uint8Array): readonly JsonObject[] => {
  const status = fromBinary(schemaOf('google.rpc.Status'), bytes) as Message & {
    readonly details: readonly { readonly typeUrl: string; readonly value: Uint8Array }[];
  };
  return status.details.map(({ typeUrl, value }) => readDetail(typeUrl.replace('type.googleapis.com/', ''), value));
};
