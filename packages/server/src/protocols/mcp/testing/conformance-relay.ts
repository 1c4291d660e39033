/** The command that the conformance suite starts for each scenario: has the process at the address run it, which is much quicker. */
const [relay = '', server = ''] = process.argv.slice(2);
const body = JSON.stringify({ server, context: process.env['MCP_CONFORMANCE_CONTEXT'] });
const { ok } = await fetch(relay, { method: 'POST', body });
process.exit(ok ? 0 : 1);
