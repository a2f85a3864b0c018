import { Controller, Get, Query } from '@nestjs/common';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { BoardPage, ListBoard } from './board.dto.js';
import { BoardService } from './board.service.js';

@ApiGroup('Desk')
@Controller('/v1/admin/desk/departures')
export class DepartureBoardController {
  constructor(private readonly board: BoardService) {}

  /**
   * List the departures of some days with occupancy by channel
   *
   * @remarks Returns what a list of departures shows, read in one snapshot: the name of the product, local times, units sold and held,
   * the units of each channel, the people, and what needs attention.
   */
  @Get()
  @ExpensiveRead()
  @RequireScope('operations:read')
  async list(@Query() query: ListBoard): Promise<BoardPage> {
    return this.board.list(query);
  }
}
