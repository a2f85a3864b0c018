import type { Env } from '../../../platform/config/env.js';
import { BuiltinEmbedder } from './builtin-embedder.js';
import { type Embedder, NoEmbedder } from './embedder.js';
import { HttpEmbedder } from './http-embedder.js';

/** The one that `EMBEDDER` names. */
export function chosenEmbedder(env: Env): Embedder {
  if (env.embedder === 'none') return new NoEmbedder();
  return env.embedder === 'http' ? new HttpEmbedder(env) : new BuiltinEmbedder();
}
