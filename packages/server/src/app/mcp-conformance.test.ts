import { expect, it } from 'vitest';
import { serverVerdicts } from '../protocols/mcp/testing/conformance-suite.ts';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();

const PASSED = [
  ...['server-initialize', 'ping', 'tools-list', 'server-sse-polling', 'server-sse-multiple-streams'],
  ...['resources-list', 'prompts-list', 'dns-rebinding-protection'],
];

const OWN_TOOLS = 'calls a tool of the example server of the suite; /mcp has agents and operations';
const OWN_RESOURCES = 'reads a resource of the example server of the suite; /mcp has knowledge, which is text';
const OWN_PROMPTS = 'gets a prompt of the example server of the suite; /mcp has skills, which take no arguments';
const NO_SUBSCRIPTIONS = 'no subscriptions to single documents are offered';

/** Scenarios of the older suite that fail, and why. One that passes all the same fails the test. */
const FAILED: Readonly<Record<string, string>> = {
  'logging-set-level': 'log messages are not offered, and are deprecated in the newer era',
  'completion-complete': 'no prompt has arguments that could be completed',
  'tools-call-simple-text': OWN_TOOLS,
  'tools-call-image': OWN_TOOLS,
  'tools-call-audio': OWN_TOOLS,
  'tools-call-embedded-resource': OWN_TOOLS,
  'tools-call-mixed-content': OWN_TOOLS,
  'tools-call-with-logging': OWN_TOOLS,
  'tools-call-error': OWN_TOOLS,
  'tools-call-with-progress': OWN_TOOLS,
  'tools-call-sampling': OWN_TOOLS,
  'tools-call-elicitation': OWN_TOOLS,
  'json-schema-2020-12': OWN_TOOLS,
  'elicitation-sep1034-defaults': OWN_TOOLS,
  'elicitation-sep1330-enums': OWN_TOOLS,
  'resources-read-text': OWN_RESOURCES,
  'resources-read-binary': OWN_RESOURCES,
  'resources-templates-read': OWN_RESOURCES,
  'resources-subscribe': NO_SUBSCRIPTIONS,
  'resources-unsubscribe': NO_SUBSCRIPTIONS,
  'prompts-get-simple': OWN_PROMPTS,
  'prompts-get-with-args': OWN_PROMPTS,
  'prompts-get-embedded-resource': OWN_PROMPTS,
  'prompts-get-with-image': OWN_PROMPTS,
};

const OWN_TASKS =
  'makes a task with the example server of the suite; conformance.test.ts of protocols/mcp-server does the same here';
const NOT_ASKED = 'calls ask nothing of clients: who waits for a person is a task, which has its questions';

/** The same for revision 2026-07-28, what it does not require included. */
const FAILED_2026: Readonly<Record<string, string>> = {
  'server-stateless': 'four of its checks call diagnostic tools of the example server of the suite',
  'completion-complete': 'no prompt has arguments that could be completed',
  'tools-call-simple-text': OWN_TOOLS,
  'tools-call-image': OWN_TOOLS,
  'tools-call-audio': OWN_TOOLS,
  'tools-call-embedded-resource': OWN_TOOLS,
  'tools-call-mixed-content': OWN_TOOLS,
  'tools-call-error': OWN_TOOLS,
  'tools-call-with-progress': OWN_TOOLS,
  'resources-read-text': OWN_RESOURCES,
  'resources-read-binary': OWN_RESOURCES,
  'resources-templates-read': OWN_RESOURCES,
  'prompts-get-simple': OWN_PROMPTS,
  'prompts-get-with-args': OWN_PROMPTS,
  'prompts-get-embedded-resource': OWN_PROMPTS,
  'prompts-get-with-image': OWN_PROMPTS,
  'input-required-result-basic-elicitation': NOT_ASKED,
  'input-required-result-basic-sampling': NOT_ASKED,
  'input-required-result-basic-list-roots': NOT_ASKED,
  'input-required-result-request-state': NOT_ASKED,
  'input-required-result-multiple-input-requests': NOT_ASKED,
  'input-required-result-multi-round': NOT_ASKED,
  'input-required-result-non-tool-request': NOT_ASKED,
  'input-required-result-result-type': NOT_ASKED,
  'input-required-result-tampered-state': NOT_ASKED,
  'input-required-result-capability-check': NOT_ASKED,
  'tasks-lifecycle': OWN_TASKS,
  'tasks-capability-negotiation': OWN_TASKS,
  'tasks-wire-fields': OWN_TASKS,
  'tasks-request-state-removal': OWN_TASKS,
  'tasks-mrtr-input': OWN_TASKS,
  'tasks-request-headers': OWN_TASKS,
  'tasks-dispatch-and-envelope': OWN_TASKS,
  'tasks-required-task-error': OWN_TASKS,
  'tasks-mrtr-composition': OWN_TASKS,
  'json-schema-2020-12': OWN_TOOLS,
  'http-custom-header-server-validation': 'no tool has parameters that go into headers',
};

const PASSED_2026 = [
  'tools-list',
  'server-sse-multiple-streams',
  'resources-list',
  'sep-2164-resource-not-found',
  'prompts-list',
  'dns-rebinding-protection',
  'caching',
  'input-required-result-missing-input-response',
  'input-required-result-unsupported-methods',
  'input-required-result-ignore-extra-params',
  'input-required-result-validate-input',
  'tasks-status-notifications',
  'http-header-validation',
];

const SLOW = { timeout: 240_000 };

it('/mcp passes the scenarios of the older suite but those that are listed with a reason', SLOW, async () => {
  const { passed, failed } = await serverVerdicts(`${app.url}/mcp`, '2025');
  expect(failed).toEqual(Object.keys(FAILED));
  expect(passed).toEqual(PASSED);
});

it('/mcp passes what revision 2026-07-28 requires but what is listed with a reason', SLOW, async () => {
  const { passed, failed } = await serverVerdicts(`${app.url}/mcp`, '2026');
  expect(failed).toEqual(Object.keys(FAILED_2026));
  expect(passed).toEqual(PASSED_2026);
});
