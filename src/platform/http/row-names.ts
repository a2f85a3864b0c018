import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DecoratedMethods, type DecoratedMethod, methodDecorator } from '../discovery/decorated-methods.js';

/** The members with an ID beside which the rows of a list have the name of the record. */
const NAMES = {
  bookingId: { member: 'bookingNumber', max: 40, description: 'Number of the booking; null without `bookingId`.' },
  channelId: { member: 'channelName', max: 255, description: 'Name of the channel; null without `channelId`.' },
  customerId: {
    member: 'customerName',
    max: 255,
    description: 'Name of the customer; null without `customerId`, and without the scope `customers:read`.',
  },
  productId: { member: 'productName', max: 255, description: 'Name of the product; null without a record of it.' },
} as const;

type NamedId = keyof typeof NAMES;

/** The names that belong to these IDs. */
type NamesOfIds<Ids extends NamedId> = { [Id in Ids as (typeof NAMES)[Id]['member']]: string | null };

type ReadNames = (ids: readonly string[]) => Promise<{ id: string; name: string }[]>;

/** The method returns the names of the records with these IDs; it leaves out what is unknown, or not for the caller. */
export const NamesOf = methodDecorator<NamedId, ReadNames>();

/** The class of a list's rows: the members of `row`, and the names beside these IDs. */
export function withNames<Row, Ids extends NamedId>(row: Type<Row>, ...ids: Ids[]): Type<Row & NamesOfIds<Ids>> {
  class NamedRow extends (row as Type<object>) {}
  for (const id of ids) {
    const { member, max: maxLength, description } = NAMES[id];
    ApiProperty({ type: 'string', maxLength, nullable: true, description })(NamedRow.prototype, member);
  }
  return NamedRow as Type<Row & NamesOfIds<Ids>>;
}

/** Adds names to the rows of a list. The module of the record reads them, so a list may show those of any module. */
@Injectable()
export class Names implements OnModuleInit {
  private readers: ReadonlyMap<string, DecoratedMethod<NamedId, ReadNames>> = new Map();

  constructor(private readonly methods: DecoratedMethods) {}

  onModuleInit(): void {
    this.readers = this.methods.findByName(NamesOf, (id) => id);
  }

  /** Reads the names of all rows with one statement for each of these IDs. */
  async beside<Row extends Partial<Record<Ids, string | null>>, Ids extends NamedId>(
    rows: readonly Row[],
    ...ids: Ids[]
  ): Promise<(Row & NamesOfIds<Ids>)[]> {
    const named: (Row & Record<string, unknown>)[] = rows.map((row) => ({ ...row }));
    for (const id of ids) {
      const names = await this.read(id, rows);
      for (const row of named) Object.assign(row, { [NAMES[id].member]: names.get(row[id] ?? '') ?? null });
    }
    return named as (Row & NamesOfIds<Ids>)[];
  }

  private async read<Ids extends NamedId>(
    id: Ids,
    rows: readonly Partial<Record<Ids, string | null>>[],
  ): Promise<ReadonlyMap<string, string>> {
    const present = new Set(rows.flatMap((row) => row[id] ?? []));
    const reader = this.readers.get(id);
    if (!reader) throw new Error(`No provider has @NamesOf('${id}')`);
    if (present.size === 0) return new Map();
    return new Map((await reader.call([...present])).map((found) => [found.id, found.name]));
  }
}
