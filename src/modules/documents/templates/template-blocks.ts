import { invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import type { Block, ColumnsBlock, SimpleBlock, TableColumn } from '../layout/blocks.js';
import type { Examples, KindPlaceholders } from './document-placeholders.js';

const MAX_TEXT = 4_000;
const MAX_LABEL = 200;
const MAX_ENTRIES = 30;
const MAX_PARTS = 3;
/** Bounds the rows of a document: each list is printed at most as often. */
const MAX_TABLES = 3;
const MAX_WIDTH = 90;
const DEFAULT_WIDTH = 12;
const TYPES = ['heading', 'text', 'facts', 'table', 'image', 'code', 'spacer', 'pageBreak'] as const;
type BlockType = (typeof TYPES)[number];

/** The members of each type besides `type`. Columns have parts. */
const MEMBERS: Readonly<Record<BlockType, readonly string[]>> = {
  heading: ['text'],
  text: ['text'],
  facts: ['facts'],
  table: ['list', 'columns'],
  image: ['image'],
  code: ['text'],
  spacer: [],
  pageBreak: [],
};

/** Linear: the inside has no braces. */
const TAG = /\{\{([^{}]*)\}\}/g;

type Given = Readonly<Record<string, unknown>>;

/**
 * Reads the blocks of a template. Throws 400 for a block of another form, and 422 `placeholder_unknown` for a placeholder or list that
 * documents of the kind do not have; both name the path.
 */
export function blocksOf(given: readonly Given[], placeholders: KindPlaceholders): Block[] {
  const blocks = given.map((entry, index) => {
    const path = `blocks.${index}`;
    return entry['type'] === 'columns'
      ? columnsOf({ entry, path }, placeholders)
      : simpleBlockOf({ entry, path }, placeholders);
  });
  assertFewTables(blocks, Object.keys(placeholders.lists));
  return blocks;
}

function assertFewTables(blocks: readonly Block[], lists: readonly string[]): void {
  const simple = blocks.flatMap((block) =>
    block.type === 'columns' ? block.parts.flatMap((part) => part.blocks) : block,
  );
  for (const list of lists) {
    const tables = simple.filter((block) => block.type === 'table' && block.list === list);
    if (tables.length > MAX_TABLES) throw unexpected('blocks', `must have at most ${MAX_TABLES} tables of each list`);
  }
}

/** Columns have no further columns. */
function columnsOf({ entry, path }: Entry, placeholders: KindPlaceholders): ColumnsBlock {
  assertMembers(entry, ['type', 'parts'], path);
  const parts = entriesOf(entry['parts'], `${path}.parts`, MAX_PARTS).map((part) => {
    assertMembers(part.entry, ['blocks'], part.path);
    const blocks = entriesOf(part.entry['blocks'], `${part.path}.blocks`, MAX_ENTRIES);
    return { blocks: blocks.map((block) => simpleBlockOf(block, placeholders)) };
  });
  return { type: 'columns', parts };
}

function simpleBlockOf({ entry: given, path }: Entry, { values, lists }: KindPlaceholders): SimpleBlock {
  const type = TYPES.find((known) => known === given['type']);
  if (type === undefined) throw unexpected(`${path}.type`, 'is not a type of blocks in this place');
  assertMembers(given, ['type', ...MEMBERS[type]], path);
  switch (type) {
    case 'heading':
      return { type, text: textOf(given['text'], `${path}.text`, { max: MAX_LABEL, values }) };
    case 'text':
      return { type, text: textOf(given['text'], `${path}.text`, { max: MAX_TEXT, values }) };
    case 'code':
      return { type, text: codeTextOf(given['text'], `${path}.text`, values) };
    case 'image':
      if (given['image'] !== 'logo') throw unexpected(`${path}.image`, 'must be logo');
      return { type, image: 'logo' };
    case 'spacer':
    case 'pageBreak':
      return { type };
    case 'facts':
      return {
        type,
        facts: entriesOf(given['facts'], `${path}.facts`, MAX_ENTRIES).map(({ entry, path: at }) => {
          assertMembers(entry, ['label', 'value'], at);
          return {
            label: textOf(entry['label'], `${at}.label`, { max: MAX_LABEL, values }),
            value: textOf(entry['value'], `${at}.value`, { max: MAX_TEXT, values }),
          };
        }),
      };
    case 'table': {
      const { list } = given;
      const row = typeof list === 'string' && Object.hasOwn(lists, list) ? lists[list] : undefined;
      if (typeof list !== 'string' || !row) throw unknown(`${path}.list`);
      const columns = entriesOf(given['columns'], `${path}.columns`, MAX_ENTRIES);
      return { type, list, columns: columns.map((column) => columnOf(column, { values, row })) };
    }
  }
}

function columnOf({ entry, path }: Entry, { values, row }: { values: Examples; row: Examples }): TableColumn {
  assertMembers(entry, ['heading', 'text', 'width', 'align'], path);
  const { width = DEFAULT_WIDTH, align } = entry;
  if (typeof width !== 'number' || !Number.isInteger(width) || width < 1 || width > MAX_WIDTH) {
    throw unexpected(`${path}.width`, `must be a whole number from 1 to ${MAX_WIDTH}`);
  }
  if (align !== undefined && align !== 'right') throw unexpected(`${path}.align`, 'must be right');
  return {
    heading: textOf(entry['heading'], `${path}.heading`, { max: MAX_LABEL, values }),
    text: textOf(entry['text'], `${path}.text`, { max: MAX_TEXT, values: row }),
    width,
    ...(align === undefined ? {} : { align }),
  };
}

interface Entry {
  entry: Given;
  path: string;
}

function entriesOf(list: unknown, path: string, max: number): Entry[] {
  if (!Array.isArray(list) || list.length === 0 || list.length > max) {
    throw unexpected(path, `must be a list of 1 to ${max} objects`);
  }
  return list.map((entry: unknown, index) => {
    const at = `${path}.${index}`;
    if (!isObject(entry)) throw unexpected(at, 'must be an object');
    return { entry, path: at };
  });
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assertMembers(given: Given, known: readonly string[], path: string): void {
  if (Object.keys(given).some((member) => !known.includes(member))) {
    throw unexpected(path, `must have only the members ${known.join(', ')}`);
  }
}

function textOf(text: unknown, path: string, { max, values }: { max: number; values: Examples }): string {
  if (typeof text !== 'string' || text.length > max || !text.isWellFormed() || hasControls(text)) {
    throw unexpected(path, `must be a text of at most ${max} characters without control characters`);
  }
  for (const [, name = ''] of text.matchAll(TAG)) if (!Object.hasOwn(values, name)) throw unknown(path);
  return text;
}

/** A code has room for one line: values of several lines do not belong in it. */
function codeTextOf(given: unknown, path: string, values: Examples): string {
  const text = textOf(given, path, { max: MAX_LABEL, values });
  for (const [, name = ''] of text.matchAll(TAG)) {
    if (values[name]?.includes('\n')) throw unexpected(path, 'must have only placeholders with values of one line');
  }
  return text;
}

/** A line feed begins a line; other controls have no meaning on paper. */
function hasControls(text: string): boolean {
  return /[\u0000-\u0009\u000b-\u001f\u007f]/.test(text);
}

function unexpected(path: string, rule: string) {
  return invalidField(path, `${path} ${rule}`, 'block_invalid');
}

function unknown(path: string) {
  const details = { field: 'blocks', path };
  return unprocessable('placeholder_unknown', 'The text contains a placeholder that does not exist', details);
}
