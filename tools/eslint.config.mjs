// The linter of the scripts. TypeScript knows names and types (internal/web/static/js/tsconfig.json).
import js from "@eslint/js";

const forbid = (selector, message) => ({ selector, message });

export default [
  { ignores: ["**/built/**", "**/vendor/**", "**/node_modules/**", "compat/gen/**"] },
  js.configs.recommended,
  {
    rules: {
      "array-callback-return": "error",
      "consistent-return": "off",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-empty": ["error", { allowEmptyCatch: false }],
      "no-implicit-globals": "error",
      "no-undef": "off",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      complexity: ["error", 25],
      "max-lines": ["error", { max: 400, skipBlankLines: true }],
      "max-params": ["error", 4],
    },
  },
  {
    files: ["internal/web/static/js/**/*.js"],
    ignores: ["internal/web/static/js/events.js"],
    rules: {
      "no-restricted-syntax": ["error",
        forbid("NewExpression[callee.name='CustomEvent']", "dispatch of events.js dispatches events"),
        forbid("AssignmentExpression > MemberExpression.left[object.name=/^(globalThis|window|self)$/]", "export it: there are no globals"),
        forbid("CallExpression[callee.property.name='assign'] > Identifier.arguments:first-child[name=/^(globalThis|window)$/]",
          "export it: there are no globals")],
    },
  },
];
