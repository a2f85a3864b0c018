import type { OpenAPIObject } from '@nestjs/swagger';
import { ROLES, scopesOf } from './modules/identity/index.js';
import { covers } from './platform/auth/scopes.js';
import { surfaceOf } from './platform/http/surface.js';

interface Row {
  call: string;
  path: string;
  /** The scope that it requires; null: any credential of its surface. */
  scope: string | null;
  isPublic: boolean;
}

const INTRODUCTION = `# Who may do what

Written by \`npm run docs\` from the API document; a test calls every operation with every scope and every role and
compares. Nobody reaches further than the scopes that he holds: a token never further than its user does today.

- \`*\` holds every scope of the staff surface. \`<module>:*\` holds \`<module>:read\`, \`:write\` and \`:delete\`, and none of the
  special ones (\`finance:approve\`, \`finance:void\`, \`finance:numbering\`, \`action-ledger:reverse\`).
- On the connect surface \`*:read\`, \`*:write\` and \`*:delete\` ask for that action in any area: \`connect:bookings:write\`,
  \`connect:bookings:*\`, \`connect:*:write\` and \`connect:*\` all meet \`*:write\`.
- A scope of connect that names its area and action is met by itself, by either of them as \`*\`, and by \`connect:*\`:
  \`connect:grants:write\` by \`connect:grants:*\` and \`connect:*:write\`, not by \`connect:bookings:write\`.
- All other scopes match exactly.
`;

/** The table of operations and scopes as Markdown, made from the API document. */
export function scopeTable(document: OpenAPIObject): string {
  const rows = rowsOf(document);
  const of = (surfaces: string[]) =>
    rows.filter(({ path, isPublic }) => !isPublic && surfaces.includes(surfaceOf(path)));
  const staff = of(['staff']).map(({ call, scope }) => [
    call,
    ...words(scope),
    ...ROLES.map((role) => mark(scope, role)),
  ]);
  const platform = of(['connect', 'vault', 'realtime', 'data']).map(({ call, path, scope }) => {
    return [call, ...words(scope), 'yes', surfaceOf(path) === 'connect' ? 'yes' : ''];
  });
  return [
    INTRODUCTION,
    '## Staff: a session or an API token\n',
    table(['Operation', 'Scope', ...ROLES], staff),
    '## Platform: an API key, and on connect an OAuth access token\n',
    table(['Operation', 'Scope', 'API key', 'Access token'], platform),
    '## Without a credential\n',
    table(
      ['Operation'],
      rows.filter(({ isPublic }) => isPublic).map(({ call }) => [call]),
    ),
  ].join('\n');
}

function rowsOf({ paths }: OpenAPIObject): Row[] {
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const { 'x-required-scope': scope = null } = operation as { 'x-required-scope'?: string };
      return [{ call: `\`${method.toUpperCase()} ${path}\``, path, scope, isPublic: isPublic(operation.security) }];
    }),
  );
  return rows.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** OAuth clients authenticate themselves at the OAuth endpoints; no API key or token is required there. */
function isPublic(security: readonly object[] = []): boolean {
  return security.every((needed) => Object.keys(needed).every((scheme) => scheme === 'clientBasic'));
}

function words(scope: string | null): [string] {
  return [scope === null ? 'any' : `\`${scope}\``];
}

function mark(scope: string | null, role: (typeof ROLES)[number]): string {
  return scope === null || covers(scopesOf([role]), scope) ? 'yes' : '';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('');
}
