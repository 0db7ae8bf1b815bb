import type { Event } from '@minitickets/contract';
import { useState } from 'react';
import { tabMemory } from '../api/tab-memory.ts';

export type Quantities = Readonly<Record<string, number>>;

/** What somebody has chosen of an event, by ticket type. The tab remembers it across a reload and a log-in, until it is held. */
export function useChoice(event: Pick<Event, 'id' | 'maxPerUser' | 'ticketTypes'>) {
  const [quantities, setQuantities] = useState(() => recall(event));
  const keep = (next: Quantities) => {
    setQuantities(next);
    remember(event.id, next);
  };
  return {
    quantities,
    choose: (ticketTypeId: string, quantity: number) => keep({ ...quantities, [ticketTypeId]: quantity }),
    forget: () => keep({}),
  };
}

const nameOf = (eventId: string) => `minitickets:choice:${eventId}`;

/** Takes from the memory only what this event still offers and one person may have. */
function recall(event: Pick<Event, 'id' | 'maxPerUser' | 'ticketTypes'>): Quantities {
  let kept: unknown;
  try {
    kept = JSON.parse(tabMemory?.getItem(nameOf(event.id)) ?? '{}');
  } catch {
    return {};
  }
  let room = event.maxPerUser;
  const quantities: Record<string, number> = {};
  for (const { id } of event.ticketTypes) {
    const wanted = Number((kept as Record<string, unknown> | null)?.[id]);
    if (!Number.isInteger(wanted) || wanted <= 0 || room === 0) continue;
    quantities[id] = Math.min(wanted, room);
    room -= quantities[id];
  }
  return quantities;
}

function remember(eventId: string, quantities: Quantities): void {
  try {
    tabMemory?.setItem(nameOf(eventId), JSON.stringify(quantities));
  } catch {
    // Without memory the choice only has to be made again after a reload.
  }
}
