import { describeRefusals } from './conformance/refusal-cases.ts';

describeRefusals();
