/**
 * Every operation this product serves, read from the descriptors: the one method table that
 * transports, authorisation, the SDK and the command line share. Nothing here is written by hand;
 * a change of a .proto file is a change of this table.
 */
import { type DescMessage, type DescMethod, type DescService, getOption } from '@bufbuild/protobuf';
import { ConnectorService } from '../gen/svc/external/connector_service_pb.js';
import { AdminService } from '../gen/svc/gateway/admin_service_pb.js';
import { AuthService } from '../gen/svc/gateway/auth_service_pb.js';
import { DeliveryService } from '../gen/svc/gateway/delivery_service_pb.js';
import { FileService } from '../gen/svc/gateway/file_service_pb.js';
import { GatewayService } from '../gen/svc/gateway/gateway_service_pb.js';
import { McpSignInService } from '../gen/svc/gateway/mcp_sign_in_service_pb.js';
import { ResourceService } from '../gen/svc/gateway/resource_service_pb.js';
import { RoutingService } from '../gen/svc/gateway/routing_service_pb.js';
import { SandboxService } from '../gen/svc/gateway/sandbox_service_pb.js';
import { SessionControlService } from '../gen/svc/gateway/session_control_service_pb.js';
import { TaskService } from '../gen/svc/gateway/task_service_pb.js';
import { ToolService } from '../gen/svc/gateway/tool_service_pb.js';
import { TrailService } from '../gen/svc/gateway/trail_service_pb.js';
import { UsageService } from '../gen/svc/gateway/usage_service_pb.js';
import { WorkflowService } from '../gen/svc/gateway/workflow_service_pb.js';
import { type HttpRule, http } from './http.ts';

const verbs = { get: 'GET', put: 'PUT', post: 'POST', delete: 'DELETE', patch: 'PATCH' } as const;

/** HTTP verbs that REST bindings of this contract use. */
export type HttpVerb = (typeof verbs)[keyof typeof verbs];

/** REST binding of an operation. */
export interface HttpBinding {
  readonly verb: HttpVerb;
  /** Template such as `/v1/ns/{ns}/agents/{agent}`, a `:verb` suffix included. */
  readonly path: string;
  /** `*`: fields outside the path travel in the JSON body; `''`: they are query parameters. */
  readonly body: '' | '*';
}

/** Facts of one operation that no transport may know better. */
export interface Method {
  /** Full name of the service, such as `svc.gateway.GatewayService`. */
  readonly service: string;
  readonly name: string;
  /** Path of gRPC, gRPC-web and Connect: `/<service>/<name>`. */
  readonly rpcPath: string;
  readonly kind: 'server_streaming' | 'unary';
  readonly input: DescMessage;
  readonly output: DescMessage;
  readonly http: HttpBinding;
  readonly descriptor: DescMethod;
}

/** All services of the product; health and reflection are standard ones and come apart. */
export const services: readonly DescService[] = [
  GatewayService,
  ResourceService,
  SessionControlService,
  WorkflowService,
  TaskService,
  UsageService,
  McpSignInService,
  ToolService,
  TrailService,
  SandboxService,
  RoutingService,
  FileService,
  AuthService,
  AdminService,
  DeliveryService,
  ConnectorService,
];

/** One row per operation, in the order of `services` and of their declarations. */
export const methods: readonly Method[] = /* @__PURE__ */ services.flatMap((service) =>
  service.methods.map(describeMethod),
);

/** Reads the facts of one operation; throws when it has no REST binding or the client streams. */
export function describeMethod(descriptor: DescMethod): Method {
  const service = descriptor.parent.typeName;
  const rpcPath = `/${service}/${descriptor.name}`;
  if (descriptor.methodKind !== 'unary' && descriptor.methodKind !== 'server_streaming') {
    throw new Error(`${rpcPath}: this contract has no ${descriptor.methodKind} operations`);
  }
  return {
    service,
    name: descriptor.name,
    rpcPath,
    kind: descriptor.methodKind,
    input: descriptor.input,
    output: descriptor.output,
    http: readBinding(getOption(descriptor, http), rpcPath),
    descriptor,
  };
}

function readBinding(rule: HttpRule, rpcPath: string): HttpBinding {
  const { case: kind, value: path } = rule.pattern;
  if (kind === undefined || kind === 'custom') throw new Error(`${rpcPath}: no REST verb and path`);
  if (rule.body !== '' && rule.body !== '*') throw new Error(`${rpcPath}: body ${rule.body} is not supported`);
  return { verb: verbs[kind], path, body: rule.body };
}
