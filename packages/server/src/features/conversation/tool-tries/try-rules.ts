import type { TryToolRequest } from '@svc/api/gateway';
import { Fault, invalidField, JSON_DEPTH, notFound, parseJsonText, violation } from '../../../base/index.ts';
import { isJsonMap, type JsonData, type JsonMap } from '../../../resources/index.ts';
import type { ToolTries } from '../../../runtime/contract.ts';
import type { JudgedTools, OfferedTool } from '../../../tools/contract.ts';

/** As for the arguments of a model. */
const ARGUMENT_BYTES_MAX = 256 * 1024;
const WAIT_MAX_SECONDS = 600;

/** What a request asks for, checked without looking at the agent. */
export const checkRequest = ({ argumentsJson, waitSeconds }: TryToolRequest): JsonMap => {
  if (waitSeconds < 0 || waitSeconds > WAIT_MAX_SECONDS)
    throw invalidField('wait_seconds', `must be 0 to ${WAIT_MAX_SECONDS}`);
  const text = argumentsJson.trim();
  if (text === '') return {};
  if (Buffer.byteLength(text) > ARGUMENT_BYTES_MAX)
    throw invalidField('arguments_json', `must have at most ${ARGUMENT_BYTES_MAX} bytes`);
  const input = parsed(text);
  if (!isJsonMap(input)) throw invalidField('arguments_json', 'must be a JSON object');
  return input;
};

const parsed = (text: string): JsonData => {
  try {
    return parseJsonText(text, JSON_DEPTH) as JsonData;
  } catch {
    throw invalidField('arguments_json', `must be one complete JSON object, nested at most ${JSON_DEPTH} deep`);
  }
};

/** The tool, if the agent has it and it can be called outside of a turn with these arguments. Throws a Fault that says why not. */
export const allowedTool = (
  { ns, agent, tool: name, confirm }: TryToolRequest,
  { offered, withheld }: JudgedTools,
  { input, tries }: { readonly input: JsonMap; readonly tries: Pick<ToolTries, 'problems'> },
): OfferedTool => {
  const metadata = { ns, agent, tool: name };
  const offer = offered.find(({ tool }) => tool.name === name);
  if (offer === undefined) {
    const held = withheld.find((one) => one.name === name);
    if (held === undefined) throw notFound('Tool', metadata);
    throw new Fault('FAILED_PRECONDITION', 'TOOL_NOT_GRANTED', `the agent does not have ${name}: ${held.message}`, {
      metadata,
    });
  }
  if (offer.tool.needsTurn === true)
    throw new Fault('FAILED_PRECONDITION', 'TOOL_NEEDS_TURN', `${name} works on its conversation: try it in a chat`, {
      metadata,
    });
  const problems = tries.problems(offer, input);
  if (problems.length > 0)
    throw new Fault('INVALID_ARGUMENT', 'TOOL_ARGUMENTS', problems.join('; '), {
      metadata,
      violations: problems.map((problem) => violation('arguments_json', problem)),
    });
  if (offer.approval === 'ask' && !confirm)
    throw new Fault('FAILED_PRECONDITION', 'TOOL_NEEDS_CONFIRMATION', `a person has to allow ${name}: set confirm`, {
      metadata,
    });
  return offer;
};
