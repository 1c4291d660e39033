import type { DescMessage, DescMethodServerStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import {
  operation,
  operator,
  type StreamHandler,
  type StreamOperation,
  type UnaryHandler,
  type UnaryOperation,
  viewer,
} from '../../operations/index.ts';

const reads = /^(Get|List|Search|Read|Stream|Watch|WhoAmI)/;

const accessOf = (name: string) => (reads.test(name) ? viewer('fields') : operator('fields'));

/** An operation as a feature would declare it: viewers may read, operators may do the rest. */
export const unary = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  handle: UnaryHandler<I, O>,
): UnaryOperation => operation(method, { access: accessOf(method.name), handle });

/** As unary, for a stream; the field `after` of its request has the cursor. */
export const serverStream = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodServerStreaming<I, O>,
  handle: StreamHandler<I, O>,
): StreamOperation => operation(method, { access: accessOf(method.name), handle, cursorField: 'after' as never });
