-- Decides on calls: each is served if all of its buckets have the tokens, and then all are charged; or it is refused, and none
-- is. Calls that tasks make in the same moment come together and are decided one after the other, as if they came alone.
--
-- Redis's clock is read once; no other clock plays a part. Everything is counted in whole numbers below 2^53, so that no
-- fraction is ever lost: a token is `interval` parts (its refill interval in microseconds), and `refill` parts flow back in
-- every microsecond.
--
-- KEYS[i]   bucket i. One more key, if there is one call on one bucket: a receipt, against which the charge can be given back.
-- ARGV[1]   JSON, a list of the limits and a list of the calls.
--           A limit is an array: capacity, refill tokens, refill interval in ms, revision of the table of limits, 1 if enforced
--           and 0 in shadow mode; then its suppression, in microseconds where it is a time: strikes that make a ban (0: never),
--           first ban, growth from ban to ban, longest ban, clean time until all is forgotten.
--           The calls have three numbers for each bucket: which of the limits, the cost in tokens, and 1 for the last of a call.
-- ARGV[2]   for how many ms the receipt is good
--
-- Returns six numbers for each bucket: the verdict, the parts it held when the call came, the microseconds after which such a
-- call will be served, and the limit in force: capacity, refill tokens, refill interval in ms. They are packed as doubles: to
-- read an array of integers takes the client three times as long. Refused calls are EMPTY, BANNED (a ban begins with it),
-- SUPPRESSED (it goes on) or IMPOSSIBLE (it costs more than the capacity).
--
-- All in one pass and without helper functions, because their tables and closures cost a third of the time in Redis.

local SERVED, EMPTY, BANNED, SUPPRESSED, IMPOSSIBLE = 0, 1, 2, 3, 4
-- What is stored: parts, when they were counted, and under which capacity, refill tokens, refill interval in ms, revision.
-- 28 bytes: with the 29th Redis would need a larger block for each bucket.
local BUCKET, BUCKET_BYTES = '<I7I7I3I3I4I4', 28
-- Only after a change: the highest capacity it has been given, and since when callers do not know its revision (0: they do).
local PAST, PAST_BYTES = '<I3I7', 10
-- Only for those who gave reason, and always last: strikes, bans so far, banned until, all forgotten at.
local LADDER, LADDER_BYTES = '<I2I2I7I7', 18
local MOST, LONGEST_REFILL = 2 ^ 53, 31 * 86400e6
-- Tasks hear of a change within two seconds. A revision that nobody confirms for so long is that of a table of limits that was
-- since restored from a copy.
local LONGEST_DOUBT = 10e6
local ceil, min, max, fmod = math.ceil, math.min, math.max, math.fmod

-- #region clock
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- #endregion
local limits, calls = unpack(cjson.decode(ARGV[1]))
local answer, charges, granted = {}, {}, true

for i = 1, #calls / 3 do
  local key, cost, is_last = KEYS[i], calls[3 * i - 1], calls[3 * i] == 1
  local capacity, refill, interval_ms, revision, enforced, threshold, first_ban, growth, longest_ban, forget_after =
    unpack(limits[calls[3 * i - 2]])
  local interval = interval_ms * 1000
  local full = capacity * interval

  -- 1. The bucket, as it is at this moment. It starts full.
  local parts, changed = full, false
  local highest, doubted_since = capacity, 0
  local strikes, bans, banned_until, forgotten_at = 0, 0, 0, 0
  local stored = redis.pcall('GET', key)
  if stored then
    local size = type(stored) == 'string' and #stored
    local at, old_capacity, old_refill, old_interval_ms, old_revision, readable
    local has_past = size == BUCKET_BYTES + PAST_BYTES or size == BUCKET_BYTES + PAST_BYTES + LADDER_BYTES
    if size == BUCKET_BYTES or size == BUCKET_BYTES + LADDER_BYTES or has_past then
      parts, at, old_capacity, old_refill, old_interval_ms, old_revision = struct.unpack(BUCKET, stored)
      local old_full = old_capacity * old_interval_ms * 1000
      highest = old_capacity
      if has_past then highest, doubted_since = struct.unpack(PAST, stored, BUCKET_BYTES + 1) end
      readable = old_interval_ms > 0 and old_refill > 0 and old_capacity > 0 and parts <= old_full and old_full <= MOST
        and highest >= old_capacity
    end
    if readable then
      -- The clock was set back: the refill goes on from now. Nobody is given tokens, or waits for the old time to come again.
      if now < at then at, changed = now, true end
      -- Refilled to the highest capacity it may be given all of that again.
      if parts + old_refill * (now - at) >= highest * old_interval_ms * 1000 then highest = old_capacity end
      -- #region refill
      -- What the old limit promised until now is kept; then the new one applies.
      parts = min(parts + (now - at) * old_refill, old_capacity * old_interval_ms * 1000)
      -- #endregion
      local unheard = revision < old_revision
      if not unheard then
        if doubted_since > 0 then doubted_since, changed = 0, true end
      elseif doubted_since == 0 or now < doubted_since then
        doubted_since, changed = now, true
      elseif now - doubted_since > LONGEST_DOUBT then
        unheard, doubted_since = false, 0
      end
      -- #region limit-in-force
      if unheard then
        -- This caller has not heard of the newest limit yet. Its own would undo it.
        capacity, refill, interval_ms, revision = old_capacity, old_refill, old_interval_ms, old_revision
        interval = interval_ms * 1000
        full = capacity * interval
      elseif capacity ~= old_capacity or refill ~= old_refill or interval_ms ~= old_interval_ms or revision ~= old_revision then
        if interval_ms ~= old_interval_ms then
          -- The same tokens in parts of another size, rounded down; divided in two so that no product passes 2^53.
          local rest = fmod(parts, old_interval_ms)
          local scaled = rest * interval_ms
          parts = (parts - rest) / old_interval_ms * interval_ms + (scaled - fmod(scaled, old_interval_ms)) / old_interval_ms
        end
        -- #region change
        -- Added is what it has never been given: going to and fro between two limits, a user's tiers say, mints nothing.
        parts = min(parts + max(0, capacity - highest) * interval, full)
        highest, changed = max(highest, capacity), true
        -- #endregion
      end
      -- #endregion
      if size >= BUCKET_BYTES + LADDER_BYTES then
        strikes, bans, banned_until, forgotten_at = struct.unpack(LADDER, stored, size - LADDER_BYTES + 1)
        -- A milder policy, or a clock that was set back, remembers nothing for longer than it would from now on.
        forgotten_at = min(forgotten_at, now + longest_ban + forget_after)
        if now >= forgotten_at then strikes, bans, banned_until = 0, 0, 0 end
      end
    else
      -- What cannot be read is an empty bucket without a past: no error, no free pass, and in a while it is full again.
      parts, changed, highest, doubted_since = 0, true, capacity, 0
    end
  end

  -- 2. The verdict.
  -- #region verdict
  local need = cost * interval
  local verdict, wait, left = SERVED, 0, parts
  if cost > capacity then
    verdict = IMPOSSIBLE
  elseif threshold > 0 and banned_until > now then
    verdict = SUPPRESSED
    -- Attempts do not lengthen a ban. A clock set back, or a milder policy, shortens it to what it may be.
    wait = min(banned_until - now, first_ban * growth ^ (bans - 1), longest_ban)
    if banned_until ~= now + wait then banned_until, changed = now + wait, true end
  elseif parts < need then
    verdict = EMPTY
    if threshold > 0 then
      strikes, changed = strikes + 1, true
      if strikes >= threshold then
        verdict = BANNED -- From this call on.
        strikes, bans = 0, min(bans + 1, 65535)
        wait = min(first_ban * growth ^ (bans - 1), longest_ban)
        banned_until = now + wait
      end
      forgotten_at = now + wait + forget_after
    end
  else
    left, changed = parts - need, true
    -- A served call takes a strike back: banned is who is refused more often than served, again and again.
    strikes = max(0, strikes - 1)
  end
  -- #endregion
  if parts < need and verdict ~= IMPOSSIBLE then
    wait = max(wait, ceil((need - parts) / refill)) -- Exact: no quotient of numbers below 2^53 is rounded to a whole one.
  end
  if verdict ~= SERVED and enforced == 1 then granted = false end
  -- Nothing of ours is without an expiry; what somebody else put here must not stay for ever.
  if stored and not changed and redis.call('PTTL', key) == -1 then changed = true end

  -- 3. What is to be stored, always with an expiry: not before the bucket is full, up to its highest capacity too, and the
  -- ladder forgotten.
  if changed then
    local value = struct.pack(BUCKET, left, now, capacity, refill, interval_ms, revision)
    -- #region expiry
    local expiry = (full - left) / refill
    if highest > capacity or doubted_since > 0 then
      value = value .. struct.pack(PAST, highest, doubted_since)
      expiry = max(expiry, min((highest * interval - left) / refill, LONGEST_REFILL))
    end
    if strikes > 0 or bans > 0 then
      value = value .. struct.pack(LADDER, strikes, bans, banned_until, forgotten_at)
      expiry = max(expiry, forgotten_at - now)
    end
    local expiry_ms = ceil(expiry / 1000) + 1
    -- #endregion
    if verdict == SERVED then
      charges[#charges + 1] = { key, value, expiry_ms }
    else
      redis.call('SET', key, value, 'PX', expiry_ms)
    end
  end

  answer[i] = struct.pack('<dddddd', verdict, parts, wait, capacity, refill, interval_ms)
  if verdict == SERVED and ARGV[2] then
    local receipt = struct.pack('<I7I7I7I3I3I4', need, full - left, now, capacity, refill, interval_ms)
    charges[#charges + 1] = { KEYS[i + 1], receipt, ARGV[2] }
  end

  -- 4. The end of the call: all or none.
  -- #region charge
  if is_last then
    if granted then
      for _, charge in ipairs(charges) do redis.call('SET', charge[1], charge[2], 'PX', charge[3]) end
    else
      -- What is not charged stays as it is, but not for ever: somebody else may have put it there without an expiry.
      for _, charge in ipairs(charges) do
        if redis.call('PTTL', charge[1]) == -1 then redis.call('PEXPIRE', charge[1], charge[3]) end
      end
    end
    charges, granted = {}, true
  end
  -- #endregion
end
return table.concat(answer)
