import { getMetadataArgsStorage } from 'typeorm';
import { type Class, lineOf } from './columns.js';
import type { TableRights } from './service-role.js';

export const READ: TableRights = ['select'];
export const APPEND: TableRights = ['select', 'insert'];
const CHANGE: TableRights = ['select', 'insert', 'update'];
export const DELETE: TableRights = ['select', 'insert', 'update', 'delete'];

/** The classes of personal data. docs/personal-data.md gives their purpose and how long each is kept. */
export const PERSONAL_DATA = [
  'accounting',
  'contract',
  'travel',
  'contact',
  'messages',
  'proof',
  'partner',
  'account',
  'company',
  'security',
  'ledger',
  'replay',
  'published',
] as const;
export type PersonalData = (typeof PERSONAL_DATA)[number];

/** Why data of each class is stored. */
export const PURPOSES: Record<PersonalData, string> = {
  accounting: 'bookkeeping and taxes',
  contract: 'performing and proving a contract',
  travel: 'performing the service',
  contact: 'serving customers, and planning a trip before it is booked',
  messages: 'sending, and answering questions about what was sent',
  proof: 'proving what a person has consented to, and that data was erased',
  partner: 'working with a business partner',
  account: 'access to the service',
  company: 'naming the seller on documents',
  security: 'detecting and investigating misuse of accounts',
  ledger: 'proving who changed what',
  replay: 'answering a repeated request',
  published: 'delivery to subscribers',
};

/** Declarations of a table in addition to its entity, or without one. Column names are the database's. */
export interface TableDeclaration {
  /** Rights of the service's role on its rows; SELECT, INSERT and UPDATE unless given. Nothing needs TRUNCATE. */
  rights?: TableRights;
  /** Columns with personal data. */
  personal?: Partial<Record<PersonalData, readonly string[]>>;
  /** Columns whose names look personal although the values are not. */
  impersonal?: readonly string[];
}

type Classes = Map<string, PersonalData | 'impersonal'>;

const rightsByTable = new Map<string, TableRights>();
const classesByTable = new Map<string, Classes>();
const rightsByEntity = new Map<unknown, TableRights>();
const classesByEntity = new Map<unknown, Map<string, PersonalData | 'impersonal'>>();

/** Declares tables and columns that no entity has, because only SQL uses them. */
export function declareTables(tables: Readonly<Record<string, TableDeclaration>>): void {
  for (const [name, { rights, personal = {}, impersonal = [] }] of Object.entries(tables)) {
    if (rights) rightsByTable.set(name, rights);
    const classes = classesByTable.get(name) ?? (new Map() as Classes);
    for (const dataClass of PERSONAL_DATA) {
      for (const column of personal[dataClass] ?? []) classes.set(column, dataClass);
    }
    for (const column of impersonal) classes.set(column, 'impersonal');
    classesByTable.set(name, classes);
  }
}

/** Declares the service role's rights on the rows of an entity, unless they are SELECT, INSERT and UPDATE. */
export function Rights(rights: TableRights): ClassDecorator {
  return (entity) => {
    rightsByEntity.set(entity, rights);
  };
}

/** The column contains personal data of this class. */
export function Personal(dataClass: PersonalData): PropertyDecorator {
  return (target, property) => {
    classify(target, property, dataClass);
  };
}

/**
 * Declares that the column contains no personal data although its name suggests it; the test of personal data requires a
 * decision.
 */
export function Impersonal(): PropertyDecorator {
  return (target, property) => {
    classify(target, property, 'impersonal');
  };
}

/** The rights of the service's role on a table. The job queue changes and deletes its own rows. */
export function serviceRightsOf({ schema, name }: { schema: string; name: string }): TableRights {
  if (schema === 'graphile_worker') return name === 'migrations' ? READ : DELETE;
  const entity = getMetadataArgsStorage().tables.find((table) => table.name === name)?.target;
  return rightsByEntity.get(entity) ?? rightsByTable.get(name) ?? CHANGE;
}

/** The declared class of columns, by `table.column`, sorted. */
export function declaredClasses(): Map<string, PersonalData | 'impersonal'> {
  const { tables, columns } = getMetadataArgsStorage();
  const ofEntities = tables.flatMap(({ target }) =>
    [...(classesByEntity.get(target) ?? [])].map(([property, dataClass]) => {
      const column = columns.find((one) => one.target === target && one.propertyName === property);
      return [`${tableOf(target)}.${column?.options.name ?? property}`, dataClass] as const;
    }),
  );
  const ofTables = [...classesByTable].flatMap(([table, classes]) =>
    [...classes].map(([column, dataClass]) => [`${table}.${column}`, dataClass] as const),
  );
  return new Map([...ofEntities, ...ofTables].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An entity that shares a table has the table of its base class. */
function tableOf(entity: Class | string): string {
  const line = typeof entity === 'string' ? [] : lineOf(entity);
  const { tables } = getMetadataArgsStorage();
  return line.flatMap((one) => tables.find(({ target }) => target === one)?.name ?? [])[0] ?? '';
}

function classify(target: object, property: string | symbol, dataClass: PersonalData | 'impersonal'): void {
  const entity: unknown = target.constructor;
  const classes = classesByEntity.get(entity) ?? new Map<string, PersonalData | 'impersonal'>();
  classes.set(String(property), dataClass);
  classesByEntity.set(entity, classes);
}
