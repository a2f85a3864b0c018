import type { Placed } from '../contract/served-document.js';
import { draftOf } from './draft.js';
import { exampleBody, exampleParameters } from './example.js';
import type { Random } from './random.js';
import type { Document } from './schema.js';

/** Sends a request as in the document's example; returns the JSON of the response, or null if it is not 2xx. */
export type SendForJson = (draft: ReturnType<typeof draftOf>) => Promise<unknown>;

interface Surroundings {
  operations: readonly Placed[];
  document: Document;
  random: Random;
  unique: string;
  sendForJson: SendForJson;
}

/**
 * Path parameters of a row that is created for this case only, so that the request finds a resource in a suitable
 * state; null if no operation creates such rows.
 */
export async function ownRow(operation: Placed, around: Surroundings): Promise<Record<string, string> | null> {
  const { operations, document, random, unique, sendForJson } = around;
  const [, collection, name] = /^(.*)\/\{(\w+)\}(?:\/[a-z-]+)?$/.exec(operation.path) ?? [];
  const create = operations.find(({ method, path }) => method === 'POST' && path === collection);
  if (!create || name === undefined) return null;
  const parent = exampleParameters(create);
  const made = await sendForJson(draftOf(create, parent, exampleBody(create, document, unique)));
  const id = idIn(made, name);
  if (id === null) return null;
  const parameters = { ...parent, [name]: id };
  const commands = operations.filter(
    ({ path, method }) => method === 'POST' && path.startsWith(`${collection}/{${name}}/`),
  );
  if (commands.length > 0 && random.chance(0.5)) {
    const command = random.pick(commands);
    await sendForJson(draftOf(command, parameters, exampleBody(command, document, unique)));
  }
  return parameters;
}

function idIn(answer: unknown, name: string): string | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const row = ('data' in answer ? answer.data : answer) as Record<string, unknown>;
  const id = row[name] ?? row['id'];
  return typeof id === 'string' ? id : null;
}
