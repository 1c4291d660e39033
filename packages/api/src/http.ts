/** The google.api.http method option that binds an operation to REST, for readers of descriptors. */
export { http } from '../gen/google/api/annotations_pb.js';
export type { CustomHttpPattern, Http, HttpRule } from '../gen/google/api/http_pb.js';
export { CustomHttpPatternSchema, HttpRuleSchema, HttpSchema } from '../gen/google/api/http_pb.js';
