const { options } = require('./.dependency-cruiser.cjs');

/**
 * Rules about folders have a run of their own, which excludes the tests: dependency-cruiser cannot restrict a cycle of folders
 * to one module, and through the test helpers nearly every folder depends on every other.
 */
module.exports = {
  forbidden: [
    {
      name: 'folders-in-layers',
      comment: 'The folders of a module form layers: no two import each other',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/$1/', circular: true },
    },
  ],
  options: { ...options, exclude: { path: '^(dist|test|scripts|bench|chaos)/' } },
};
