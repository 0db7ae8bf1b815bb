import { type HoldBatches, type HoldOrder, type HoldOutcome, writeOrders } from '@minitickets/api/booking/hold-batches';
import { TicketingError } from '@minitickets/api/errors';

// #region one-by-one
export function holdBatches(options: HoldBatches) {
  return async (eventId: string, order: HoldOrder): Promise<HoldOutcome> => {
    const [outcome] = await writeOrders(options, eventId, [order]);
    if (outcome instanceof TicketingError) throw outcome;
    return outcome as HoldOutcome;
  };
}
// #endregion
