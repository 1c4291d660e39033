import type { BindBody } from '../../operations/index.ts';
import type { JsonDecoder } from '../codec/index.ts';
import type { MethodEntry } from '../dispatcher/index.ts';
import { parseTemplate } from './path-template.ts';

/** How an operation's REST body becomes the JSON of its request: by the form that it declares, else as it is. */
export const bodyBinder = ({ input, http, rest }: MethodEntry, reader: JsonDecoder): BindBody => {
  const { variables } = parseTemplate(http?.path ?? '/');
  return rest?.body?.({ input, variables, reader }) ?? ((body) => body);
};
