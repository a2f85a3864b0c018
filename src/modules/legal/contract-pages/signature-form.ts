import { invalidField } from '../../../platform/errors/app-error.js';

const MAX_NAME = 200;
const CONTROLS = /\p{Cc}/u;

/** What the form of a contract's page sends. */
export interface SignatureForm {
  name: string;
  bodySha256: string;
}

/**
 * Reads a form of this type, URL-encoded or JSON. Throws 400 for a missing name or an unticked checkbox; other fields are ignored.
 */
export function signatureFormIn(body: unknown, type = ''): SignatureForm {
  const field = fieldsOf(Buffer.isBuffer(body) ? body.toString() : '', type);
  const name = field('name').trim();
  if (name === '') throw invalidField('name', 'name is required', 'required');
  if (name.length > MAX_NAME) throw invalidField('name', `name must be at most ${MAX_NAME} characters`, 'too_long');
  if (CONTROLS.test(name)) throw invalidField('name', 'name must not contain control characters', 'control_characters');
  if (field('accepted') !== 'yes') throw invalidField('accepted', 'accepted must be yes', 'unknown_value');
  return { name, bodySha256: field('bodySha256') };
}

/** Returns how to read the text of a field; it is empty if the form lacks the field. */
function fieldsOf(text: string, type: string): (name: string) => string {
  if (!type.toLowerCase().startsWith('application/json')) {
    const fields = new URLSearchParams(text);
    return (name) => fields.get(name) ?? '';
  }
  const parsed = parsedOr(null, text);
  return (name) => {
    const value: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
}

function parsedOr(otherwise: unknown, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return otherwise;
  }
}
