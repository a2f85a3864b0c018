import type { Placed } from '../contract/served-document.js';
import { draftOf } from './draft.js';
import { exampleBody, exampleParameters } from './example.js';
import type { Random } from './random.js';
import type { Document } from './schema.js';

/** Sends a request that is as the document shows it; answers its JSON, or null where it was not 2xx. */
export type Ask = (draft: ReturnType<typeof draftOf>) => Promise<unknown>;

interface Surroundings {
  operations: readonly Placed[];
  document: Document;
  random: Random;
  unique: string;
  ask: Ask;
}

/**
 * Path parameters that name a row made for this case alone, so that the request finds something in a state where it can
 * do something; null where no operation creates such rows.
 */
export async function ownRow(operation: Placed, around: Surroundings): Promise<Record<string, string> | null> {
  const { operations, document, random, unique, ask } = around;
  const [, collection, name] = /^(.*)\/\{(\w+)\}(?:\/[a-z-]+)?$/.exec(operation.path) ?? [];
  const create = operations.find(({ method, path }) => method === 'POST' && path === collection);
  if (!create || name === undefined) return null;
  const parent = exampleParameters(create);
  const made = await ask(draftOf(create, parent, exampleBody(create, document, unique)));
  const id = idIn(made, name);
  if (id === null) return null;
  const parameters = { ...parent, [name]: id };
  const commands = operations.filter(
    ({ path, method }) => method === 'POST' && path.startsWith(`${collection}/{${name}}/`),
  );
  if (commands.length > 0 && random.chance(0.5)) {
    const command = random.pick(commands);
    await ask(draftOf(command, parameters, exampleBody(command, document, unique)));
  }
  return parameters;
}

function idIn(answer: unknown, name: string): string | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const row = ('data' in answer ? answer.data : answer) as Record<string, unknown>;
  const id = row[name] ?? row['id'];
  return typeof id === 'string' ? id : null;
}
