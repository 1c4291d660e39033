import { getOption } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { GatewayService } from './gateway.ts';
import { Health, HealthCheckResponse_ServingStatus, HealthCheckResponseSchema } from './health.ts';
import { http } from './http.ts';
import { v1, v1alpha } from './reflection.ts';
import { messageFact } from './testing/describe-fact.ts';

describe('health', () => {
  it('has the methods and numbers of the public protocol', () => {
    expect(Health.typeName).toBe('grpc.health.v1.Health');
    expect(Health.methods.map(({ name, methodKind }) => `${name} ${methodKind}`)).toEqual([
      'Check unary',
      'List unary',
      'Watch server_streaming',
    ]);
    expect(messageFact(HealthCheckResponseSchema)).toBe('1 status HealthCheckResponse.ServingStatus');
    expect(HealthCheckResponse_ServingStatus.SERVING).toBe(1);
    expect(HealthCheckResponse_ServingStatus.NOT_SERVING).toBe(2);
    expect(HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN).toBe(3);
  });
});

describe('reflection', () => {
  it.each([
    ['grpc.reflection.v1', v1],
    ['grpc.reflection.v1alpha', v1alpha],
  ] as const)('%s has the messages of the public protocol', (base, version) => {
    expect(version.ServerReflection.typeName).toBe(`${base}.ServerReflection`);
    expect(version.ServerReflection.method.serverReflectionInfo.methodKind).toBe('bidi_streaming');
    expect(messageFact(version.ServerReflectionRequestSchema)).toBe(
      '1 host string, 3 message_request.file_by_filename string, 4 message_request.file_containing_symbol string, ' +
        '5 message_request.file_containing_extension ExtensionRequest, ' +
        '6 message_request.all_extension_numbers_of_type string, 7 message_request.list_services string',
    );
    expect(messageFact(version.ServerReflectionResponseSchema)).toBe(
      '1 valid_host string, 2 original_request ServerReflectionRequest, ' +
        '4 message_response.file_descriptor_response FileDescriptorResponse, ' +
        '5 message_response.all_extension_numbers_response ExtensionNumberResponse, ' +
        '6 message_response.list_services_response ListServiceResponse, 7 message_response.error_response ErrorResponse',
    );
    expect(messageFact(version.FileDescriptorResponseSchema)).toBe('1 file_descriptor_proto bytes[]');
  });
});

describe('http', () => {
  it('reads the binding of an operation', () => {
    expect(getOption(GatewayService.method.getAgent, http).pattern).toEqual({
      case: 'get',
      value: '/v1/ns/{ns}/agents/{name}',
    });
  });
});
