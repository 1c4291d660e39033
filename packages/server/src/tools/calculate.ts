import { errorResult, type Tool, textResult } from './contract.ts';
import { ExpressionError, evaluateExpression, MAX_EXPRESSION_CHARS } from './expression.ts';

const NAME = 'calculate';
/** Digits that a double represents exactly; hides 0.1 + 0.2 = 0.30000000000000004. */
const SAFE_DIGITS = 15;

/** calculate(expression): arithmetic on real numbers. */
export const calculateTool: Tool = {
  name: NAME,
  description:
    'Evaluates an arithmetic expression: + - * / % ^, parentheses, pi, e and functions such as sqrt, round(x, decimals), min, max, sum, avg, ln, log10, sin.',
  inputSchema: {
    type: 'object',
    properties: { expression: { type: 'string', minLength: 1, maxLength: MAX_EXPRESSION_CHARS } },
    required: ['expression'],
    additionalProperties: false,
  },
  effect: 'read',
  run: async (_context, input) => {
    try {
      const value = Number(evaluateExpression(String(input['expression'])).toPrecision(SAFE_DIGITS));
      return textResult(String(value), { value });
    } catch (error) {
      if (error instanceof ExpressionError) return errorResult(NAME, 'invalid_arguments', error.message);
      throw error;
    }
  },
};
