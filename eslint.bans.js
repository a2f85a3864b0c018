/** The bans of this house, each one selector and the reason that its reader is told. */
const selectors = {
  'no-default-export': [
    'ExportDefaultDeclaration',
    'Export by name: a name that everybody shares can be searched for.',
  ],
  'no-double-cast': [
    'TSAsExpression > TSAsExpression.expression',
    'A cast of a cast silences the compiler: check the value and narrow it.',
  ],
  'no-cast': [
    "TSAsExpression[typeAnnotation.typeName.name!='const']:not([expression.callee.object.name='JSON'])",
    'No casts in modules but of parsed JSON: where bytes come in, the check stands next to the cast.',
  ],
  'no-insecure-random': [
    "MemberExpression[object.name='Math'][property.name='random']",
    'Math.random can be predicted: use node:crypto or src/platform/ids/id.ts.',
  ],
  'time-from-clock': [
    [
      "NewExpression[callee.name='Date'][arguments.length=0]",
      "CallExpression[callee.name='Date']",
      "MemberExpression[object.name='Date'][property.name='now']",
    ].join(', '),
    'The time comes from the injected Clock (src/platform/clock/clock.ts).',
  ],
  'settings-from-env': [
    "MemberExpression[object.name='process'][property.name='env']",
    'The configuration comes from Env, parsed once by src/platform/config.',
  ],
  'database-in-platform': [
    'ImportSpecifier[imported.name=/^(InjectRepository|InjectDataSource|InjectEntityManager|DataSource|EntityManager)$/]',
    'Use Database (src/platform/database): it knows the transaction that is open.',
  ],
  'no-api-property': [
    'ImportSpecifier[imported.name=/^Api(Response)?Property/]',
    'The comment above a property documents it; a house decorator of src/platform says the rest.',
  ],
  'house-limits': [
    [
      "ImportDeclaration[source.value='class-validator'] > ImportSpecifier[imported.name=/^(ArrayMaxSize|ArrayUnique|Length|MaxLength|MinLength|ValidateNested)$/]",
      "ImportDeclaration[source.value='class-transformer'] > ImportSpecifier[imported.name='Type']",
    ].join(', '),
    'Use the decorators of src/platform/http (fields) and of src/platform/validation: validateDto reads their limits before it looks into a value.',
  ],
  'no-entity-at-the-door': [
    ':matches(ImportDeclaration, ExportNamedDeclaration, ExportAllDeclaration)[source.value=/\\.entity\\.js$/]',
    'A module never hands out an entity: across modules there is an id and a question asked at the front door.',
  ],
};

const ruleOf = ([selector, message]) => ({
  meta: { type: 'problem', schema: [] },
  create: (context) => ({ [selector]: (node) => context.report({ node, message }) }),
});

/**
 * An ESLint plugin with one rule per ban.
 * @type {import('eslint').ESLint.Plugin}
 */
export const bans = {
  rules: Object.fromEntries(Object.entries(selectors).map(([name, ban]) => [name, ruleOf(ban)])),
};
