import { TestEnvironment } from 'jest-environment-node';
import { createRequire } from 'node:module';
import 'reflect-metadata';

/** What a worker keeps from one file to the next. */
const worker = {};

/** What both sides make and tell by its class: an error of the test's is one of the application's, and the other way round. */
const shared = { Date, Error, Reflect };

/**
 * Node's own modules beside Jest's: what a file loads by `nativeRequire` is loaded once per worker, not once per file.
 * `native-module.js` puts calls of it where the built application and the large packages would stand.
 */
export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    Object.assign(this.global, { worker, ...shared, nativeRequire: createRequire(import.meta.url) });
  }
}
