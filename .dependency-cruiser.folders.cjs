const { options } = require('./.dependency-cruiser.cjs');

/** Modules whose folders still import each other. Remove a module from this list when its folders form layers. */
const open = ['connect', 'identity'];

/**
 * Rules about folders have a run of their own without the tests: dependency-cruiser cannot restrict a cycle of folders to
 * one module, and by way of the test helpers nearly every folder depends on every other.
 */
module.exports = {
  forbidden: [
    {
      name: 'folders-in-layers',
      comment: 'The folders of a module form layers: no two import each other',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/modules/([^/]+)/', pathNot: `^src/modules/(${open.join('|')})/` },
      to: { path: '^src/modules/$1/', circular: true },
    },
  ],
  options: { ...options, exclude: { path: '^(dist|test|scripts|bench|chaos)/' } },
};
