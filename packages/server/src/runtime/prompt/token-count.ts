import type { ModelContent, ModelMessage, ModelTool } from '../../models/contract.ts';

/** Counts one text with the model's encoding. */
export type CountTokens = (text: string) => number;

/** Tokens of an image that the catalogue does not price. */
const IMAGE_TOKENS = 1000;
/** Other media have no fixed price: about what their extracted text would cost. */
const BYTES_PER_TOKEN = 100;
/** Role and separators around a message. */
const MESSAGE_TOKENS = 4;

/** Texts of a content block as they are sent. */
const textOf = (content: ModelContent): string => {
  if (content.type === 'media') return '';
  if (content.type === 'call') return `${content.name} ${JSON.stringify(content.input)}`;
  return content.type === 'result' ? `${content.name} ${content.text}` : content.text;
};

const mediaTokens = (content: ModelContent): number => {
  if (content.type !== 'media') return 0;
  const { media } = content;
  if (media.kind === 'url' || media.mediaType.startsWith('image/')) return IMAGE_TOKENS;
  return Math.max(IMAGE_TOKENS, Math.ceil(media.bytes.length / BYTES_PER_TOKEN));
};

const toolText = (tool: ModelTool): string => `${tool.name} ${tool.description} ${JSON.stringify(tool.inputSchema)}`;

/** Tokens of messages, with a constant for what a provider puts around each. */
export const countMessages = (messages: readonly ModelMessage[], count: CountTokens): number => {
  let tokens = 0;
  for (const { content } of messages) {
    tokens += MESSAGE_TOKENS;
    for (const block of content) tokens += countContent(block, count);
  }
  return tokens;
};

/** Tokens of one block of a message. */
export const countContent = (block: ModelContent, count: CountTokens): number =>
  block.type === 'media' ? mediaTokens(block) : count(textOf(block));

/** Tokens of the descriptions of tools. */
export const countTools = (tools: readonly ModelTool[], count: CountTokens): number =>
  tools.reduce((tokens, tool) => tokens + MESSAGE_TOKENS + count(toolText(tool)), 0);

/** Tokens of a whole request. */
export const countPrompt = (
  prompt: { readonly messages: readonly ModelMessage[]; readonly tools: readonly ModelTool[] },
  count: CountTokens,
): number => countMessages(prompt.messages, count) + countTools(prompt.tools, count);

/** UTF-16 units of all texts plus media by price: with three bytes a unit no encoding has more tokens than thrice that. */
export const countUnits = (messages: readonly ModelMessage[], tools: readonly ModelTool[]): number => {
  const units: CountTokens = (text) => text.length;
  return countMessages(messages, units) + countTools(tools, units);
};
