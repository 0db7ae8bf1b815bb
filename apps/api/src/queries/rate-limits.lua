-- Decides calls on token buckets. A call names one or more buckets: if each of them holds the call's cost, all are charged;
-- otherwise none is. Batched calls are decided one after the other, exactly as if each had come alone.
--
-- Arithmetic: integers below 2^53, so no fraction of a token is ever lost. A token is `period` parts (the refill period in
-- microseconds) and `rate` parts flow back per microsecond: one token per emission interval of period / rate microseconds.
--
-- KEYS[i]   bucket i. For one call on one bucket, KEYS[2] may be a receipt, against which the charge can be refunded.
-- ARGV[1]   JSON, one flat array, because nested ones take longer to read. First, three numbers for each bucket: the index of its
--           limit in the array, cost in tokens, 1 for the last bucket of a call. Then the limits, eleven numbers each: burst,
--           rate, period in ms, revision of the table of limits, 1 if enforced or 0 in shadow mode, promise horizon; then its
--           suppression: strikes (0: never ban), first ban, growth, longest ban, time after which bans are forgotten. Times are
--           microseconds unless named ms.
-- ARGV[2]   lifetime of the receipt in ms
--
-- Returns six doubles for each bucket: verdict, parts before the call, microseconds until the promised slot or the end of the
-- ban, and the limit in force: burst, rate, period in ms. They are packed, because the client takes three times as long to read an array of integers.
--
-- One pass without helper functions: their closures are made on every call and cost a third of the time in Redis.

local SERVED, EMPTY, BANNED, SUPPRESSED, IMPOSSIBLE = 0, 1, 2, 3, 4 -- BANNED: this call starts the ban.
-- Parts, the instant they were counted, and the limit: burst, rate, period in ms, revision. One byte more would need a larger
-- block of memory for every bucket.
local BUCKET, BUCKET_BYTES = '<I7I7I3I3I4I4', 28
-- Stored only while it matters: the highest burst granted; the line of promised slots (its end, the end of its exempt part,
-- its start); the number of bans, the end of the last one, and when they are forgotten.
local EXTENDED, EXTENDED_BYTES = '<I7I7I3I3I4I4I3I7I7I7I2I7I7', 68
-- A line that forms faster than this is a crowd that arrived at once, not a client that ignores Retry-After.
local GATHERING = 5e6
local ceil, min, max, fmod = math.ceil, math.min, math.max, math.fmod

-- #region clock
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- #endregion
local numbers = cjson.decode(ARGV[1])
local answer, charges, granted = {}, {}, true

for i = 1, ARGV[2] and 1 or #KEYS do
  local key, limit, cost, is_last = KEYS[i], unpack(numbers, 3 * i - 2, 3 * i)
  local burst, rate, period_ms, revision, enforced, horizon, strikes, first_ban, growth, longest_ban, forget_after =
    unpack(numbers, limit, limit + 10)
  local period = period_ms * 1000

  -- 1. Read. A bucket starts full; a corrupt value counts as an empty bucket without history.
  local parts, highest, changed = burst * period, burst, false
  local line_end, exempt_end, line_began, bans, banned_until, forgotten_at = 0, 0, 0, 0, 0, 0
  local stored = redis.pcall('GET', key)
  if stored then
    local size = type(stored) == 'string' and #stored
    local at, old_burst, old_rate, old_period_ms, old_revision
    if size == BUCKET_BYTES then
      parts, at, old_burst, old_rate, old_period_ms, old_revision = struct.unpack(BUCKET, stored)
      highest = old_burst
    elseif size == EXTENDED_BYTES then
      parts, at, old_burst, old_rate, old_period_ms, old_revision, highest, line_end, exempt_end, line_began, bans,
        banned_until, forgotten_at = struct.unpack(EXTENDED, stored)
    end
    local old_full = old_burst and old_burst * old_period_ms * 1000
    if not old_full or old_full == 0 or old_full > 2 ^ 53 or old_rate == 0 or parts > old_full or highest < old_burst then
      parts, highest, changed = 0, burst, true
      line_end, bans = 0, 0
    else
      -- 2. Refill, at the limit under which the parts were counted. After a clock step back it mints no tokens and blocks
      -- no client: the refill continues from now, and the line is discarded.
      if now < at then at, line_end, changed = now, 0, true end
      if parts + (now - at) * old_rate >= highest * old_period_ms * 1000 then highest = old_burst end
      -- #region refill
      parts = min(parts + (now - at) * old_rate, old_full)
      -- #endregion

      -- 3. The limit in force: the newest revision that this bucket has seen.
      -- #region limit-in-force
      if revision < old_revision then
        -- The calling task has an older revision; its limit would undo the change.
        burst, rate, period_ms, revision, period = old_burst, old_rate, old_period_ms, old_revision, old_period_ms * 1000
      elseif burst ~= old_burst or rate ~= old_rate or period_ms ~= old_period_ms then
        if period_ms ~= old_period_ms then
          -- parts * period_ms / old_period_ms, rounded down; divided in two so that no product passes 2^53.
          local rest = fmod(parts, old_period_ms)
          local scaled = rest * period_ms
          parts = (parts - rest) / old_period_ms * period_ms + (scaled - fmod(scaled, old_period_ms)) / old_period_ms
        end
        -- #region change
        -- Burst that was granted before is not granted again: switching tiers back and forth mints no tokens.
        parts = min(parts + max(0, burst - highest) * period, burst * period)
        -- #endregion
        highest, line_end, changed = max(highest, burst), 0, true
      end
      -- #endregion
    end
  end

  -- 4. The verdict.
  -- #region verdict
  local need = cost * period
  local verdict, wait, left = SERVED, 0, parts
  local latest_end
  if bans > 0 or banned_until > 0 then
    -- After a milder policy or a clock step back, a ban is shortened to its maximum from now on.
    latest_end = now + min(first_ban * growth ^ (bans - 1), longest_ban)
    if banned_until > latest_end then banned_until, changed = latest_end, true end
    forgotten_at = min(forgotten_at, max(now, banned_until) + forget_after)
    if strikes == 0 or bans == 0 or now >= forgotten_at then bans, banned_until, forgotten_at = 0, 0, 0 end
  end
  if cost > burst then
    verdict = IMPOSSIBLE
  elseif banned_until > now then
    verdict, wait = SUPPRESSED, banned_until - now -- Attempts do not extend a ban.
  elseif parts >= need then
    left = parts - need
  else
    verdict, wait = EMPTY, ceil((need - parts) / rate) -- Exact: no quotient below 2^53 is rounded to a whole number.
    -- Each refusal promises the next free slot in line, so that a crowd that obeys returns one by one (no thundering herd).
    -- #region promise
    local crowd = ceil(strikes * period / rate)
    if line_end <= now then
      line_end, exempt_end, line_began = now + wait, now, now
    else
      line_end = min(max(now + wait, line_end + ceil(need / rate)), now + max(wait, horizon + crowd))
    end
    wait = line_end - now
    -- #endregion
    -- A strike is a promised slot in the future. Clients that obey hold one each; those that arrived at once are exempt.
    if now - line_began < GATHERING then exempt_end = min(line_end, now + horizon) end
    if strikes > 0 and line_end - max(now, exempt_end) > (strikes - 1) * period / rate then
      verdict, bans, line_end = BANNED, min(bans + 1, 65535), 0
      wait = min(first_ban * growth ^ (bans - 1), longest_ban)
      banned_until = now + wait
      forgotten_at = banned_until + forget_after
    end
  end
  if verdict ~= SERVED and enforced == 1 then granted = false end
  -- #endregion

  -- 5. Write, always with an expiry: after the bucket is full, up to its highest burst, and its bans are forgotten.
  if changed or verdict < SUPPRESSED then
    local value
    -- #region expiry
    local expiry = (highest * period - left) / rate
    if line_end > now or bans > 0 or highest > burst then
      value = struct.pack(EXTENDED, left, now, burst, rate, period_ms, revision, highest, line_end, exempt_end, line_began,
        bans, banned_until, forgotten_at)
      expiry = max(min(expiry, 31 * 86400e6), forgotten_at - now)
    else
      value = struct.pack(BUCKET, left, now, burst, rate, period_ms, revision)
    end
    local expiry_ms = ceil(expiry / 1000) + 1
    -- #endregion
    if verdict == SERVED then
      charges[#charges + 1] = { key, value, expiry_ms }
    else
      redis.call('SET', key, value, 'PX', expiry_ms)
    end
  end
  answer[i] = struct.pack('<dddddd', verdict, parts, wait, burst, rate, period_ms)
  if verdict == SERVED and ARGV[2] then
    local receipt = struct.pack('<I7I7I7I3I3I4', need, burst * period - left, now, burst, rate, period_ms)
    charges[#charges + 1] = { KEYS[i + 1], receipt, ARGV[2] }
  end

  -- 6. Charge all buckets of the call, or none.
  -- #region charge
  if is_last == 1 then
    if granted then
      for _, charge in ipairs(charges) do redis.call('SET', charge[1], charge[2], 'PX', charge[3]) end
    end
    charges, granted = {}, true
  end
  -- #endregion
end
return table.concat(answer)
