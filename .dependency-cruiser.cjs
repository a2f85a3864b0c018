/**
 * The arrows between modules: each may use what stands behind it, through its index.ts, and the platform. A new arrow is
 * a decision and needs an ADR.
 */
const arrows = {
  'action-ledger': [],
  realtime: [],
  vault: [],
  'reference-data': [],
  identity: ['action-ledger'],
  organization: ['action-ledger'],
  customers: ['action-ledger', 'vault'],
  documents: ['action-ledger', 'customers', 'organization'],
  catalog: ['action-ledger', 'operations', 'products'],
  notifications: ['action-ledger', 'customers', 'documents', 'identity', 'organization'],
  connect: ['action-ledger', 'identity'],
  webhooks: ['action-ledger', 'connect', 'identity'],
  taxes: ['action-ledger'],
  products: ['action-ledger', 'organization', 'taxes'],
  operations: ['action-ledger', 'products', 'taxes'],
  distribution: ['action-ledger', 'operations', 'products'],
  legal: ['action-ledger', 'customers', 'distribution', 'notifications', 'organization'],
  bookings: [
    'action-ledger',
    'customers',
    'legal',
    'operations',
    'organization',
    'distribution',
    'notifications',
    'products',
    'taxes',
  ],
  finance: ['action-ledger', 'organization', 'bookings', 'customers', 'distribution', 'notifications', 'taxes'],
  trips: ['action-ledger', 'organization', 'bookings', 'customers', 'operations', 'distribution', 'taxes'],
  octo: [
    'action-ledger',
    'bookings',
    'connect',
    'customers',
    'distribution',
    'finance',
    'identity',
    'legal',
    'operations',
    'organization',
    'products',
  ],
  desk: [
    'action-ledger',
    'customers',
    'products',
    'operations',
    'bookings',
    'finance',
    'identity',
    'trips',
    'distribution',
    'notifications',
    'legal',
    'documents',
    'organization',
  ],
};

/** The parts of a module that is too large for one room: each uses the parts behind it, through their index.ts. */
const parts = {
  finance: {
    books: [],
    commissions: ['books'],
    payables: ['books'],
    receivables: ['books', 'commissions', 'payables'],
    documents: ['books', 'receivables'],
    reports: ['books', 'commissions', 'payables', 'receivables', 'documents'],
  },
};

const partRules = Object.entries(parts).flatMap(([name, arrowsOfParts]) => {
  const all = Object.keys(arrowsOfParts).join('|');
  const folder = `src/modules/${name}`;
  return [
    ...Object.entries(arrowsOfParts).map(([part, targets]) => ({
      name: `parts-of-${name}-${part}`,
      comment: `${part} may use ${targets.join(', ') || 'no other part of its module'}`,
      severity: 'error',
      from: { path: `^${folder}/${part}/` },
      to: { path: `^${folder}/`, pathNot: `^${folder}/(${[part, ...targets].join('|')})/` },
    })),
    {
      name: `parts-of-${name}-doors`,
      comment: 'A part enters another one by its index.ts; only the module knows what is inside of all',
      severity: 'error',
      from: { path: `^${folder}/(${all})/`, pathNot: '[.]spec[.]ts$' },
      to: { path: `^${folder}/`, pathNot: `^${folder}/($1/|[^/]+/index[.]ts$)` },
    },
  ];
});

const modules = Object.keys(arrows).join('|');

const arrowRules = Object.entries(arrows).map(([name, targets]) => ({
  name: `arrows-of-${name}`,
  comment: `${name} may use ${['platform', ...targets].join(', ')} and nothing else of ours`,
  severity: 'error',
  from: { path: `^src/modules/${name}/` },
  to: {
    path: '^(src/|ormconfig)',
    pathNot: `^src/(platform|modules/(${[name, ...targets].join('|')})${name === 'catalog' ? '|search-engine' : ''})/`,
  },
}));

/** The folders of the platform, from the lowest layer up: a folder imports folders of lower layers only. */
const platformLayers = [
  ['discovery', 'errors', 'ids', 'money', 'pdf', 'time'],
  ['config'],
  ['clock', 'context', 'egress'],
  ['observability'],
  ['database'],
  ['jobs'],
  ['keys'],
  ['auth'],
  ['idempotency', 'outbox', 'validation'],
  ['http'],
  ['admission'],
  ['files', 'openapi', 'provisioning'],
  ['monitoring'],
];

const platformFolders = platformLayers.flat().join('|');

const platformRules = platformLayers.map((folders, index) => {
  const lower = platformLayers.slice(0, index).flat();
  return {
    name: `platform-layer-${index + 1}`,
    comment: `${folders.join(', ')} may import ${lower.join(', ') || 'no other folder of the platform'}`,
    severity: 'error',
    // It lists what a request passes, from all layers; only the entrance imports it.
    from: { path: `^src/platform/(${folders.join('|')})/`, pathNot: '^src/platform/http/pipeline[.]ts$' },
    to: { path: '^src/platform/', pathNot: `^src/platform/(${['$1', ...lower].join('|')})/` },
  };
});

/** Rules about the place of a file, whether it imports, is imported or neither. */
const place = (name, comment, where) =>
  [
    { from: where, to: {} },
    { from: {}, to: where },
    { from: { ...where, orphan: true }, to: {} },
  ].map((rule) => ({ name, comment, severity: 'error', ...rule }));

module.exports = {
  forbidden: [
    ...arrowRules,
    ...partRules,
    ...platformRules,
    {
      name: 'platform-knows-no-module',
      comment: 'The platform is plumbing that knows nothing of the trade',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^(src/|ormconfig)', pathNot: '^src/platform/' },
    },
    {
      name: 'search-engine-stands-alone',
      comment: 'The search engine is a pure package: it imports nothing of ours and no framework',
      severity: 'error',
      from: { path: '^src/search-engine/' },
      to: { path: ['^(src/|ormconfig)', 'node_modules/(@nestjs|typeorm|pg)/'], pathNot: '^src/search-engine/' },
    },
    {
      name: 'search-engine-entrance',
      comment: 'Only the catalog uses the search engine, through its index.ts (and bench, which uses the build)',
      severity: 'error',
      from: { path: '^(src|test|scripts|chaos)/', pathNot: '^src/search-engine/' },
      to: { path: '^src/search-engine/', pathNot: '^src/search-engine/index[.]ts$' },
    },
    {
      name: 'search-engine-is-for-the-catalog',
      comment: 'Only the catalog uses the search engine',
      severity: 'error',
      from: { path: '^(src|test|scripts|chaos)/', pathNot: '^src/(search-engine|modules/catalog)/' },
      to: { path: '^src/search-engine/' },
    },
    {
      name: 'front-door',
      comment: 'A module is entered by its index.ts or not at all',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/', pathNot: '^src/modules/($1/|[^/]+/index[.]ts$)' },
    },
    {
      name: 'front-door-from-outside',
      comment: 'The application enters a module by its index.ts',
      severity: 'error',
      from: { path: '^(src/([^/]+|(bootstrap|commands|document)/[^/]+)[.]ts$|ormconfig[.]ts$)' },
      to: { path: '^src/modules/', pathNot: '^src/modules/[^/]+/index[.]ts$' },
    },
    {
      name: 'migrations-stand-alone',
      comment: 'A migration must do tomorrow what it does today, so it uses no code that may change',
      severity: 'error',
      from: { path: '^src/migrations/' },
      to: { path: '^(src/|ormconfig)' },
    },
    {
      name: 'no-cycles',
      comment:
        'What needs each other is one thing, or one of them needs a port (types alone may go round inside a module)',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'nothing-from-tests',
      comment: 'What ships does not use what tests it, nor what only builds it',
      severity: 'error',
      from: { path: '^(src/|ormconfig)', pathNot: '[.]spec[.]ts$' },
      to: { path: '^(test|scripts|bench|chaos)/' },
    },
    {
      name: 'no-development-packages',
      comment: 'A production install has only the dependencies',
      severity: 'error',
      from: { path: '^(src/|ormconfig)', pathNot: '[.]spec[.]ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...place('known-modules', `The modules are ${modules}`, {
      path: '^src/modules/',
      pathNot: `^src/modules/(${modules})/`,
    }),
    ...place('platform-folders', `The folders of the platform are ${platformFolders}`, {
      path: '^src/platform/',
      pathNot: `^src/platform/((${platformFolders})/|platform[.]module[.]ts$)`,
    }),
    ...place('root', 'The root of the sources has its two entrances and nothing else', {
      path: '^src/[^/]+[.]ts$',
      pathNot: '^src/(main|app[.]module)[.]ts$',
    }),
    ...place('depth', 'Depth stops at src/modules/<module>/<resource>/<file>, in a part one folder deeper', {
      path: [
        `^src/modules/(?!(${Object.keys(parts).join('|')})/)[^/]+/[^/]+/[^/]+/`,
        '^src/modules/[^/]+/[^/]+/[^/]+/[^/]+/',
        '^src/platform/[^/]+/[^/]+/',
        '^src/migrations/[^/]+/',
      ],
    }),
    ...Object.entries(parts).flatMap(([name, arrowsOfParts]) => {
      const known = Object.keys(arrowsOfParts);
      return place(`parts-of-${name}`, `The parts of ${name} are ${known.join(', ')}`, {
        path: `^src/modules/${name}/[^/]+/`,
        pathNot: `^src/modules/${name}/(${known.join('|')})/`,
      });
    }),
    ...place('nameless', 'A folder or file is named after what it holds or does', {
      path: '[/.-](util|utils|helper|helpers|common|shared|base)(/|[.](ts|js|cjs)$)',
      pathNot: '(^|/)node_modules/',
    }),
  ],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
