import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { ChannelEnvelope, ChannelPage, CreateChannel, ListChannels, toChannel, UpdateChannel } from './channel.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ChannelsService } from './channels.service.js';

const PATH = '/v1/admin/distribution/channels';

@ApiGroup('Channels and allotments')
@Controller(PATH)
export class ChannelsController {
  constructor(private readonly channels: ChannelsService) {}

  /**
   * Create a distribution channel
   *
   * @remarks Adds a sales channel, `active` by default. The name must be unique among channels that are not archived, ignoring
   * case. A new channel cannot be `archived`.
   */
  @Post()
  @RequireScope('distribution:write')
  @Mutates('distribution.channel.create')
  @Refuses({ 409: ['channel_name_taken'], 422: ['invalid_initial_status'] })
  async create(@Body() body: CreateChannel): Promise<ChannelEnvelope> {
    const channel = await this.channels.create(body);
    return created(`${PATH}/${channel.id}`, channel, { data: toChannel(channel) });
  }

  /**
   * List distribution channels
   *
   * @remarks Returns a page of channels, newest first unless `sort` is given. Archived channels are included; filter
   * with `status`.
   */
  @Get()
  @RequireScope('distribution:read')
  async list(@Query() query: ListChannels): Promise<ChannelPage> {
    const { rows, total } = await this.channels.list(query);
    return { data: rows.map(toChannel), total, ...pageBounds(query) };
  }

  /**
   * Get a distribution channel
   *
   * @remarks Returns the channel, even if it is archived.
   */
  @Get(':id')
  @RequireScope('distribution:read')
  async get(@PathId('chan', 'id', 2) id: string): Promise<ChannelEnvelope> {
    const channel = await this.channels.get(id);
    return tagged(channel, { data: toChannel(channel) });
  }

  /**
   * Update a distribution channel
   *
   * @remarks Changes only the fields that are sent. Allowed status changes: `pending` to `active` or `archived`, `active` and
   * `inactive` to each other or to `archived`, `archived` to `inactive`. A channel with allotments still in force cannot be
   * archived. The kind and status of the organization's own direct channel cannot be changed.
   */
  @Patch(':id')
  @RequireScope('distribution:write')
  @Mutates('distribution.channel.update')
  @BodyExample({ status: 'active', description: 'Open for bookings from May on' })
  @Refuses({ 409: ['channel_name_taken', 'invalid_transition', 'channel_in_use', 'system_channel_protected'] })
  async update(
    @PathId('chan', 'id', 3) id: string,
    @Body() body: UpdateChannel,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ChannelEnvelope> {
    const channel = await this.channels.update(id, body, expected);
    return tagged(channel, { data: toChannel(channel) });
  }
}
