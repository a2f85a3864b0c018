import { parentPort } from 'node:worker_threads';
import type { IndexSettings } from './search-api.js';
import { SearchIndex } from './search-index.js';
import type { WorkerCommand, WorkerRequest, WorkerResponse } from './search-worker.js';
import type { Synonym } from './synonyms.js';

/* The entry point of the worker thread, which has all indexes of a process. */

/** A search can run after this many documents of a change, so that a large change does not delay searches. */
const CHUNK_SIZE = 50;

const indexes = new Map<string, SearchIndex>();
/** Indexes that are being built beside the searched ones. */
const drafts = new Map<string, SearchIndex>();
const locales = new Map<string, string>();
let synonyms: readonly Synonym[] = [];

async function execute(command: WorkerCommand): Promise<Omit<WorkerResponse, 'callId'>> {
  switch (command.kind) {
    case 'search':
      return { result: indexIn(indexes, command.indexId).search(command.request) };
    case 'apply':
      return { stats: await apply(command) };
    case 'createDraft':
      return createDraft(command.settings);
    case 'publishDraft': {
      const draft = indexIn(drafts, command.indexId);
      indexes.set(command.indexId, draft);
      drafts.delete(command.indexId);
      return { stats: draft.stats() };
    }
    case 'setSynonyms':
      synonyms = command.synonyms;
      for (const [id, index] of [...indexes, ...drafts]) index.setSynonyms(synonymsOf(locales.get(id) ?? ''));
      return {};
    case 'stop':
      return process.exit();
  }
}

function createDraft(settings: IndexSettings): Record<string, never> {
  const draft = new SearchIndex(settings);
  draft.setSynonyms(synonymsOf(settings.locale));
  drafts.set(settings.id, draft);
  locales.set(settings.id, settings.locale);
  return {};
}

async function apply(command: Extract<WorkerCommand, { kind: 'apply' }>) {
  const { toDraft, indexId, documents, generation, now } = command;
  const index = indexIn(toDraft ? drafts : indexes, indexId);
  for (let start = 0; start < documents.length; start += CHUNK_SIZE) {
    index.apply(0, documents.slice(start, start + CHUNK_SIZE), now);
    await new Promise((resolve) => setImmediate(resolve));
  }
  index.apply(generation, [], now);
  return index.stats();
}

function synonymsOf(locale: string): Synonym[] {
  const [language] = locale.toLowerCase().split('-');
  return synonyms.filter((synonym) => synonym.language === language);
}

function indexIn(map: ReadonlyMap<string, SearchIndex>, id: string): SearchIndex {
  const index = map.get(id);
  if (!index) throw new Error(`The index ${id} does not exist`);
  return index;
}

parentPort?.on('message', ({ callId, ...command }: WorkerRequest) => {
  execute(command)
    .catch((error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }))
    .then((response) => parentPort?.postMessage({ callId, ...response } satisfies WorkerResponse))
    .catch(() => process.exit(1));
});
