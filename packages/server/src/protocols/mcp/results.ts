import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { McpContent, McpResult } from './contract.ts';

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i;
const UNKNOWN_TYPE = 'application/octet-stream';

/** The answer of a server to a call, in its own order. */
export const resultOf = (answer: CallToolResult): McpResult => ({
  content: answer.content.map(contentOf),
  isError: answer.isError === true,
  ...(answer.structuredContent === undefined ? {} : { structured: answer.structuredContent }),
});

const contentOf = (block: ContentBlock, index: number): McpContent => {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return bytes(block.data, block.mimeType, `${block.type}-${index + 1}`);
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return { type: 'text', text: resource.text };
      return bytes(resource.blob, resource.mimeType, lastSegment(resource.uri) || `resource-${index + 1}`);
    }
    case 'resource_link':
      return { type: 'text', text: [block.name, block.uri, block.description ?? ''].filter(Boolean).join('\n') };
    default:
      return { type: 'text', text: '[content of a kind that is not supported]' };
  }
};

const bytes = (data: string, mediaType: string | undefined, name: string): McpContent => ({
  type: 'bytes',
  mediaType: mediaType !== undefined && MEDIA_TYPE.test(mediaType) ? mediaType.toLowerCase() : UNKNOWN_TYPE,
  name,
  bytes: new Uint8Array(Buffer.from(data, 'base64')),
});

const lastSegment = (uri: string): string => (uri.split(/[/\\]/).at(-1) ?? '').replace(/[^\w.-]+/g, '_').slice(0, 100);
