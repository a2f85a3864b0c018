import { invalidField } from '../../../platform/errors/app-error.js';
import { formFields } from '../../../platform/http/html-page.js';

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
export function signatureFormIn(body: unknown, type?: string): SignatureForm {
  const field = formFields(body, type);
  const name = field('name').trim();
  if (name === '') throw invalidField('name', 'name is required', 'required');
  if (name.length > MAX_NAME) throw invalidField('name', `name must be at most ${MAX_NAME} characters`, 'too_long');
  if (CONTROLS.test(name)) throw invalidField('name', 'name must not contain control characters', 'control_characters');
  if (field('accepted') !== 'yes') throw invalidField('accepted', 'accepted must be yes', 'unknown_value');
  return { name, bodySha256: field('bodySha256') };
}
