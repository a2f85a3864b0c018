/**
 * @jest-environment-options {"application":"shared"}
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { acceptedChanges, compatibilityOf, releasedDocument, releasedText } from '../../scripts/release/document.js';
import { startApp } from '../setup/app.js';

interface Schema {
  properties: Record<string, { maxLength?: number }>;
  required: string[];
  enum?: string[];
  'x-extensible'?: boolean;
}

interface Served {
  info: object;
  paths: Record<string, object>;
  components: { schemas: Record<string, Schema> };
}

let served: string;
beforeAll(async () => {
  const app = await startApp();
  served = (await app.get('/openapi.json')).text;
});

const documentOf = (text: string) => JSON.parse(text) as Served;

/** Returns the changes of the served document that would break clients. */
function broken(change: (document: Served) => void): string[] {
  const changed = documentOf(served);
  change(changed);
  return compatibilityOf(changed, { released: documentOf(served), accepted: [] }).unexpected;
}

describe('the API document', () => {
  it('the API document is compatible with that of the last release, except for accepted changes', () => {
    const { document: released } = releasedDocument();
    const { unexpected, stale } = compatibilityOf(documentOf(served), { released, accepted: acceptedChanges() });
    expect(unexpected).toEqual([]);
    expect(stale).toEqual([]);
  });

  it('the API document is compatible with itself, and with itself as a released document without examples', () => {
    expect(broken(() => undefined)).toEqual([]);
    const text = releasedText(documentOf(served), '1.2.3');
    expect(text).not.toMatch(/"examples?":[^{]/);
    const released = documentOf(text);
    expect(released.info).toEqual({ ...documentOf(served).info, 'x-release': '1.2.3' });
    expect(Object.keys(released.components.schemas)).toEqual(Object.keys(documentOf(served).components.schemas));
    const [there, back] = [documentOf(served), released];
    expect(compatibilityOf(there, { released: back, accepted: [] }).unexpected).toEqual([]);
    expect(compatibilityOf(back, { released: there, accepted: [] }).unexpected).toEqual([]);
  });

  it('a removed operation, a removed response property and a shorter request property of the API document are found', () => {
    expect(broken(({ paths }) => delete paths['/v1/admin/distribution/channels'])).toEqual([
      'GET /v1/admin/distribution/channels: the operation was removed (it is not deprecated)',
      'POST /v1/admin/distribution/channels: the operation was removed (it is not deprecated)',
    ]);
    const removed = broken(({ components }) => delete components.schemas['ChannelResponse']?.properties['name']);
    expect(removed.join('\n')).toMatch(/, response 20\d: \$\S*: the property name was removed/);
    const shorter = broken(({ components }) => {
      const { name } = components.schemas['CreateChannel']?.properties ?? {};
      if (name) name.maxLength = 3;
    });
    expect(shorter.join('\n')).toMatch(/^POST \S+, request body: \$\.name: maxLength \d+ became 3$/);
  });

  it('docs/versioning.md names the enums that are extensible, which are not states; each may get a value', () => {
    const { schemas } = documentOf(served).components;
    const extensible = Object.keys(schemas).filter((name) => schemas[name]?.['x-extensible']);
    const [, listed = ''] = /are extensible: ([^.]*)\./.exec(readFileSync('docs/versioning.md', 'utf8')) ?? [];
    expect(extensible.sort()).toEqual([...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort());
    expect(extensible.filter((name) => /(Status|State)$/.test(name))).toEqual([]);
    const adding = (name: string) => broken(({ components }) => components.schemas[name]?.enum?.push('another'));
    expect(adding('PaymentMethod')).toEqual([]);
    expect(adding('PaymentStatus')[0]).toMatch(/: the value another was added$/);
  });

  it('an accepted change is expected and needs a major version, a correction does not, and one that does not exist is stale', () => {
    const changed = documentOf(served);
    delete changed.paths['/v1/admin/distribution/channels'];
    const found = broken(({ paths }) => delete paths['/v1/admin/distribution/channels']);
    const [first = '', second = ''] = found;
    const accepted = [
      { change: first, reason: 'Replaced' },
      { change: second, reason: 'It never existed', correction: true },
      { change: 'PUT /nothing', reason: 'An old one' },
    ];
    const released = documentOf(served);
    expect(compatibilityOf(changed, { released, accepted })).toEqual({
      unexpected: [],
      stale: ['PUT /nothing'],
      needsMajor: [first],
    });
  });
});
