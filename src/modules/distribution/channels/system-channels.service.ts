import { Injectable } from '@nestjs/common';
import { OmitType } from '@nestjs/swagger';
import { isDeepStrictEqual } from 'node:util';
import { Database } from '../../../platform/database/database.js';
import { OneOf } from '../../../platform/http/fields.js';
import { ChannelFields } from './channel.dto.js';
import { Channel } from './channel.entity.js';
import { Channels } from './channels.service.js';

/** A row of the provisioning section `systemChannels`: our own sales, whose kind is `direct` and stays so. */
export class SystemChannelRow extends OmitType(ChannelFields, ['kind', 'status'] as const) {
  @OneOf(['direct'])
  systemKey: string;
}

/** The channel that no endpoint creates. Members that a row leaves out stay as they are. */
@Injectable()
export class SystemChannels {
  constructor(
    private readonly database: Database,
    private readonly channels: Channels,
  ) {}

  /** Throws 409 `channel_name_taken`; then no row was applied. */
  async apply(rows: SystemChannelRow[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const row of rows) await this.applyRow(row);
    });
  }

  private async applyRow({ systemKey, ...fields }: SystemChannelRow): Promise<void> {
    const found = await this.database.repository(Channel).findOneBy({ systemKey });
    if (!found) await this.channels.create({ ...fields, kind: 'direct', systemKey });
    else if (!isDeepStrictEqual({ ...found, ...fields }, { ...found })) {
      await this.channels.update(found.id, fields, null);
    }
  }
}
