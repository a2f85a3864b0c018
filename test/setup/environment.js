import { TestEnvironment } from 'jest-environment-node';
import { createRequire } from 'node:module';
import 'reflect-metadata';

/** What a worker keeps from one file to the next. */
const worker = {};

/**
 * Node's own modules beside Jest's: what a file loads by `nativeRequire` is loaded once per worker, not once per file.
 * `native-module.js` puts calls of it where the built application and the large packages would stand.
 */
export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    Object.assign(this.global, { worker, Reflect, nativeRequire: createRequire(import.meta.url) });
  }
}
