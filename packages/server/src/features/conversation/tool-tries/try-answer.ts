import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ToolResultPartSchema, type TryToolResponseSchema } from '@svc/api/gateway';
import { isJsonMap, type JsonData } from '../../../resources/index.ts';
import type { ToolTryOutcome } from '../../../runtime/contract.ts';
import type { ToolContent, ToolResult, ToolWait } from '../../../tools/contract.ts';

type Answer = MessageInitShape<typeof TryToolResponseSchema>;

/** Of all texts together, and of the JSON of the result. */
const TEXT_CHARACTERS_MAX = 512 * 1024;
/** Of all files together. */
const FILE_BYTES_MAX = 1024 * 1024;

/** What the caller reads of an outcome. */
export const answerOf = (outcome: ToolTryOutcome): Answer =>
  'wait' in outcome ? waitingAnswer(outcome.wait) : resultAnswer(outcome.result);

const waitingAnswer = (wait: ToolWait): Answer => {
  if (wait.wait === 'event')
    return {
      failureCode: 'waits',
      error: 'the tool began and waits for something to happen, which only a turn can wait for',
    };
  const { kind, prompt, url = '' } = wait.question;
  if (kind === 'sign_in') return { failureCode: 'sign_in_needed', error: prompt, signInUrl: url };
  return { failureCode: 'input_needed', error: `the tool asks a person, which it can only in a turn: ${prompt}` };
};

const resultAnswer = ({ content, structured, isError }: ToolResult): Answer => {
  const parts = new PartList();
  for (const one of content) parts.add(one);
  const json = structured === undefined ? '' : JSON.stringify(structured);
  const fits = json.length <= TEXT_CHARACTERS_MAX;
  return {
    ok: !isError,
    content: parts.list,
    structuredJson: fits ? json : '',
    truncated: parts.isCut || !fits,
    ...(isError ? failureOf(structured) : {}),
  };
};

/** What svc says of a call that failed; a tool's own failure is in its content. */
const failureOf = (structured: unknown): Answer => {
  const said = structured as JsonData | undefined;
  if (!isJsonMap(said) || said['ok'] !== false) return {};
  const { code, error } = said;
  return { failureCode: typeof code === 'string' ? code : '', error: typeof error === 'string' ? error : '' };
};

/** Parts of an answer, as far as they fit. */
class PartList {
  readonly list: ReturnType<typeof partOf>[] = [];
  isCut = false;
  #characters = TEXT_CHARACTERS_MAX;
  #bytes = FILE_BYTES_MAX;

  add(content: ToolContent): void {
    if (content.type === 'media') return this.#addFile(content);
    const text = content.text.slice(0, this.#characters).toWellFormed();
    this.isCut ||= content.text.length > this.#characters;
    this.#characters -= text.length;
    this.list.push(partOf({ text }));
  }

  #addFile({ mediaType, filename, bytes }: Extract<ToolContent, { type: 'media' }>): void {
    const fits = bytes.length <= this.#bytes;
    this.isCut ||= !fits;
    if (fits) this.#bytes -= bytes.length;
    const sizeBytes = BigInt(bytes.length);
    this.list.push(partOf({ mediaType, filename, sizeBytes, ...(fits ? { data: Uint8Array.from(bytes) } : {}) }));
  }
}

const partOf = (part: MessageInitShape<typeof ToolResultPartSchema>) => create(ToolResultPartSchema, part);
