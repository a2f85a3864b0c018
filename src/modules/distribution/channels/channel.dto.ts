import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Id, Ignored, OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { EmailAddress, FreeObject, Instant, WebAddress } from '../../../platform/http/trade-fields.js';
import { type Channel, CHANNEL_STATUSES, type ChannelStatus } from './channel.entity.js';

const KIND = /^[a-z][a-z0-9_-]*$/;

/** A sales channel. */
class ChannelFields {
  /**
   * Name of the channel; unique among channels that are not archived, ignoring case.
   * @example "Alpine Partners"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * Description of the channel; null if there is none.
   * @example "Reseller for the German-speaking market"
   */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  description?: string | null;

  /**
   * Type of channel; `reseller` by default. Known kinds are direct, affiliate, ota, reseller, marketplace,
   * api_partner and connect; others are accepted.
   * @example "reseller"
   */
  @Optional()
  @Text({ max: 50, pattern: KIND })
  kind?: string;

  /**
   * `active` by default; a new channel cannot be `archived`.
   * @example "active"
   */
  @Optional()
  @OneOf(CHANNEL_STATUSES)
  status?: ChannelStatus;

  /**
   * Web address of the channel; with a scheme, http or https.
   * @example "https://partners.example.com"
   */
  @Clearable()
  @WebAddress()
  website?: string | null;

  /**
   * Contact person at the channel. An empty string means null.
   * @example "Petra Keller"
   */
  @Clearable()
  @Text({ min: 0, max: 255, emptyIsNull: true })
  contactName?: string | null;

  /**
   * E-mail address of the contact person. An empty string means null.
   * @example "petra.keller@example.com"
   */
  @Clearable()
  @EmailAddress()
  contactEmail?: string | null;

  /**
   * Your own data about the channel, stored unchanged: an object of at most 16 KiB and 5 levels.
   * @example { "region": "DACH" }
   */
  @Clearable()
  @FreeObject({ maxBytes: 16_384, maxDepth: 5 })
  metadata?: Record<string, unknown> | null;
}

/** A new distribution channel. */
export class CreateChannel extends ChannelFields {
  @Ignored()
  id?: string;
}

/** The fields of a channel to change. */
export class UpdateChannel extends patchOf(ChannelFields) {}

/** A row of the provisioning section `systemChannels`: the organization's own channel, whose kind is always `direct`. */
export class SystemChannelRow extends OmitType(ChannelFields, ['kind', 'status'] as const) {
  @OneOf(['direct'])
  systemKey: string;
}

export class ListChannels extends PageQuery {
  /** Only channels whose name contains this text, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Only channels of this kind. */
  @Optional()
  @Text({ max: 50, pattern: KIND })
  kind?: string;

  /** Only channels in one of these statuses. */
  @Optional()
  @AnyOf(CHANNEL_STATUSES)
  status?: ChannelStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}

/** A sales channel: direct sales, a reseller, a marketplace or a partner. */
export class ChannelResponse {
  @Id('chan')
  id: string;

  /** Name of the channel; unique among channels that are not archived, ignoring case. */
  @Text({ max: 255 })
  name: string;

  /** Description of the channel; null if there is none. */
  @Text({ min: 0, max: 2000 })
  description: string | null;

  /** Type of channel, for example `reseller` or `ota`. */
  @Text({ max: 50 })
  kind: string;

  /** `inactive` and `archived` channels sell nothing; `archived` ones cannot be used for new bookings or allotments. */
  @OneOf(CHANNEL_STATUSES)
  status: ChannelStatus;

  /** Web address of the channel; null if unknown. */
  @WebAddress()
  website: string | null;

  /** Contact person at the channel; null if unknown. */
  @Text({ min: 0, max: 255 })
  contactName: string | null;

  /** E-mail address of the contact person; null if unknown. */
  @EmailAddress()
  contactEmail: string | null;

  /** Your own data about the channel, returned unchanged; null if there is none. */
  @FreeObject({ maxBytes: 16_384, maxDepth: 5 })
  metadata: Record<string, unknown> | null;

  /** `direct` on the organization's own direct channel; null on all others. */
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
  return respond(ChannelResponse, channel);
}

export class ChannelEnvelope extends dataOf(ChannelResponse) {}
export class ChannelPage extends pageOf(ChannelResponse) {}
