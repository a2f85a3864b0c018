import { availableParallelism } from 'node:os';

/** TypeScript is only stripped here; `tsc --noEmit` (a step of `npm run check`) is what checks types. */
const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      module: { type: 'es6' },
      sourceMaps: 'inline',
      jsc: {
        target: 'es2022',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        keepClassNames: true,
      },
    },
  ],
};

/** Packages that tests import themselves, or that the application and they must share. */
const NATIVE = '(@nestjs|ajv|ajv-formats|express|fast-check|oauth4webapi|pdfjs-dist|pg|typeorm)';

const project = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  resolver: '<rootDir>/test/setup/resolver.cjs',
  modulePathIgnorePatterns: ['<rootDir>/.data/'],
  transform,
};

/** These tests run against the build: only tsc runs the swagger plugin, and what ships is what is tested. */
const againstTheBuild = {
  ...project,
  globalSetup: '<rootDir>/test/setup/global-setup.js',
  globalTeardown: '<rootDir>/test/setup/global-teardown.js',
  setupFiles: ['<rootDir>/test/setup/fresh-database.js'],
  setupFilesAfterEnv: ['<rootDir>/test/setup/leftovers.ts'],
  testEnvironment: '<rootDir>/test/setup/environment.js',
  transform: {
    ...transform,
    [`${import.meta.dirname}/dist/.+\\.js$`]: '<rootDir>/test/setup/native-module.js',
    [`/node_modules/${NATIVE}/.+\\.m?js$`]: '<rootDir>/test/setup/native-module.js',
  },
  transformIgnorePatterns: [`/node_modules/(?!${NATIVE}/)`],
};

export default {
  rootDir: import.meta.dirname,
  reporters: ['default', '<rootDir>/test/setup/run-summary.js'],
  // Two workers and the static checks share the cores: a start of the service then takes many times as long as alone.
  testTimeout: 180_000,
  // What a file loaded as modules is never freed; a worker that has grown so far is replaced before its next file.
  workerIdleMemoryLimit: '1GB',
  // Tests wait for the database as much as they compute; each worker holds a pool of connections.
  maxWorkers: Math.min(6, Math.max(2, availableParallelism() - 1)),
  projects: [
    {
      ...project,
      displayName: 'unit',
      resolver: '<rootDir>/test/setup/source-resolver.cjs',
      testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
    },
    { ...againstTheBuild, displayName: 'e2e', testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'] },
    { ...againstTheBuild, displayName: 'system', testMatch: ['<rootDir>/test/**/*.system-spec.ts'] },
  ],
};
