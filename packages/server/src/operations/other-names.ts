import type { DescMessage } from '@bufbuild/protobuf';

/** Other JSON names of a field, by message: manifests may write `server` and `mcpServer` for a binding's server_ref. */
const jsonNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'svc.resources.McpServerBindingSpec': { server: 'server_ref', mcpServer: 'server_ref', mcp_server: 'server_ref' },
};

/** Further JSON names of a message's fields, each with the name of its field in the schema. */
export const otherJsonNames = (desc: DescMessage): Readonly<Record<string, string>> => jsonNames[desc.typeName] ?? {};

/** Further names of query parameters, each with the name of the field that it stands for where no field has it. */
export const otherQueryNames: Readonly<Record<string, string>> = { limit: 'page_size' };
