import { create } from '@bufbuild/protobuf';
import { v1 } from '@svc/api/reflection';
import type { DescriptorIndex } from './descriptor-index.ts';

type Response = v1.ServerReflectionResponse['messageResponse'];

const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

const missing = (what: string): Response => ({
  case: 'errorResponse',
  value: create(v1.ErrorResponseSchema, { errorCode: NOT_FOUND, errorMessage: `not found: ${what.slice(0, 200)}` }),
});

const filesOr = (files: Uint8Array[] | undefined, what: string): Response =>
  files === undefined
    ? missing(what)
    : {
        case: 'fileDescriptorResponse',
        value: create(v1.FileDescriptorResponseSchema, { fileDescriptorProto: files }),
      };

const respond = (index: DescriptorIndex, { messageRequest: asked }: v1.ServerReflectionRequest): Response => {
  switch (asked.case) {
    case 'fileByFilename':
      return filesOr(index.fileNamed(asked.value), asked.value);
    case 'fileContainingSymbol':
      return filesOr(index.fileOf(asked.value), asked.value);
    case 'fileContainingExtension':
      return missing(`extension ${asked.value.extensionNumber} of ${asked.value.containingType}`);
    case 'allExtensionNumbersOfType':
      if (!index.hasType(asked.value)) return missing(asked.value);
      return {
        case: 'allExtensionNumbersResponse',
        value: create(v1.ExtensionNumberResponseSchema, { baseTypeName: asked.value }),
      };
    case 'listServices':
      return {
        case: 'listServicesResponse',
        value: create(v1.ListServiceResponseSchema, { service: index.services.map((name) => ({ name })) }),
      };
    default:
      return {
        case: 'errorResponse',
        value: create(v1.ErrorResponseSchema, { errorCode: UNIMPLEMENTED, errorMessage: 'nothing was asked' }),
      };
  }
};

/** Answer to one reflection question; v1 and v1alpha have the same messages. */
export const reflectionAnswer = (
  index: DescriptorIndex,
  request: v1.ServerReflectionRequest,
): v1.ServerReflectionResponse =>
  create(v1.ServerReflectionResponseSchema, {
    validHost: request.host,
    originalRequest: request,
    messageResponse: respond(index, request),
  });
