import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Id, Ignored, OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { EmailAddress, FreeObject, Instant, WebAddress } from '../../../platform/http/trade-fields.js';
import { type Channel, CHANNEL_STATUSES, type ChannelStatus } from './channel.entity.js';

const KIND = /^[a-z][a-z0-9_-]*$/;

/** What a channel is made of, in a create and in a change. */
export class ChannelFields {
  /** Unique without regard to case among channels that are not archived.
   * @example "Alpine Partners" */
  @Text({ max: 255 })
  name: string;

  /** What the channel is.
   * @example "Reseller for the German-speaking market" */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  description?: string | null;

  /** Known kinds are direct, affiliate, ota, reseller, marketplace, api_partner and connect; `reseller` unless given.
   * @example "reseller" */
  @Optional()
  @Text({ max: 50, pattern: KIND })
  kind?: string;

  /** `active` unless given; a new channel cannot be archived.
   * @example "active" */
  @Optional()
  @OneOf(CHANNEL_STATUSES)
  status?: ChannelStatus;

  /** With a scheme, http or https.
   * @example "https://partners.example.com" */
  @Clearable()
  @WebAddress()
  website?: string | null;

  /** @example "Petra Keller" */
  @Clearable()
  @Text({ min: 0, max: 255, emptyIsNull: true })
  contactName?: string | null;

  /** @example "petra.keller@example.com" */
  @Clearable()
  @EmailAddress()
  contactEmail?: string | null;

  /** At most 16 KiB and 5 levels.
   * @example { "region": "DACH" } */
  @Clearable()
  @FreeObject({ maxBytes: 16_384, maxDepth: 5 })
  metadata?: Record<string, unknown> | null;
}

export class CreateChannel extends ChannelFields {
  @Ignored()
  id?: string;
}

export class UpdateChannel extends patchOf(ChannelFields) {}

export class ListChannels extends PageQuery {
  /** Part of the name, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  @Optional()
  @Text({ max: 50, pattern: KIND })
  kind?: string;

  @Optional()
  @OneOf(CHANNEL_STATUSES)
  status?: ChannelStatus;

  /** `-createdAt`, newest first, unless given. */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}

export class ChannelResponse {
  @Id('chan')
  id: string;

  @Text({ max: 255 })
  name: string;

  @Text({ min: 0, max: 2000 })
  description: string | null;

  @Text({ max: 50 })
  kind: string;

  @OneOf(CHANNEL_STATUSES)
  status: ChannelStatus;

  @WebAddress()
  website: string | null;

  @Text({ min: 0, max: 255 })
  contactName: string | null;

  @EmailAddress()
  contactEmail: string | null;

  @FreeObject({ maxBytes: 16_384, maxDepth: 5 })
  metadata: Record<string, unknown> | null;

  /** `direct` on the one own-sales channel. */
  @Text({ max: 50 })
  systemKey: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toChannel(channel: Channel): ChannelResponse {
  return {
    id: channel.id,
    name: channel.name,
    description: channel.description,
    kind: channel.kind,
    status: channel.status,
    website: channel.website,
    contactName: channel.contactName,
    contactEmail: channel.contactEmail,
    metadata: channel.metadata,
    systemKey: channel.systemKey,
    version: channel.version,
    createdAt: channel.createdAt.toISOString(),
    updatedAt: channel.updatedAt.toISOString(),
  };
}

export class ChannelEnvelope extends dataOf(ChannelResponse) {}
export class ChannelPage extends pageOf(ChannelResponse) {}
