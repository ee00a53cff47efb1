import { script } from './client.ts';

/**
 * What a store keeps of a collection: `records` (hash: id → version, newline, JSON), `entries` (hash: id →
 * the record's members of the index, packed), `index` (sorted set of score 0, members in byte order).
 * Every script names all keys that it touches, and all carry one hash tag, as a Redis Cluster demands.
 */

/**
 * KEYS: the number of the last commit; then records, entries and index of each collection.
 * ARGV: counted lists of expectations (collection, id, version or nothing), of deletions (collection, id) and
 * of puts (collection, id, JSON, counted list of members). Collections are numbered from 1.
 * Answer: 1 and the commit's number, or 0 and the place of the expectation that does not hold.
 *
 * Redis runs out of memory only at a script's first write, never between its writes. A change that only
 * deletes begins with that, because a deletion is what a full memory needs.
 */
export const COMMIT = script(`
local argument = 0
local function take()
  argument = argument + 1
  return ARGV[argument]
end
local function keysOf(collection)
  local first = 3 * tonumber(collection)
  return KEYS[first - 1], KEYS[first], KEYS[first + 1]
end

for place = 1, tonumber(take()) do
  local records = keysOf(take())
  local row = redis.call('HGET', records, take())
  local version = row and string.match(row, '^%d+') or ''
  if version ~= take() then return {0, tostring(place)} end
end

local number
local function nextNumber()
  local last = tonumber(redis.call('GET', KEYS[1]) or '0')
  local time = redis.call('TIME')
  -- The clock keeps numbers from coming again when the server has lost its last commits in a crash.
  number = string.format('%.0f', math.max(last + 1, tonumber(time[1]) * 1000000 + tonumber(time[2])))
  redis.call('SET', KEYS[1], number)
end
local function removeEntries(entries, index, id)
  local members = redis.call('HGET', entries, id)
  if not members then return end
  for _, member in ipairs(cmsgpack.unpack(members)) do redis.call('ZREM', index, member) end
  redis.call('HDEL', entries, id)
end

local deletions, puts = tonumber(take()), tonumber(take())
if puts > 0 then nextNumber() end
for _ = 1, deletions do
  local records, entries, index = keysOf(take())
  local id = take()
  removeEntries(entries, index, id)
  redis.call('HDEL', records, id)
end
if puts == 0 then nextNumber() end
for _ = 1, puts do
  local records, entries, index = keysOf(take())
  local id, json = take(), take()
  removeEntries(entries, index, id)
  redis.call('HSET', records, id, number .. '\\n' .. json)
  local members = {}
  for place = 1, tonumber(take()) do
    members[place] = take()
    redis.call('ZADD', index, 0, members[place])
  end
  if #members > 0 then redis.call('HSET', entries, id, cmsgpack.pack(members)) end
end
return {1, number}
`);

/**
 * Several reads of one moment. KEYS: those that they name. ARGV: the number of reads, then each of them: `records`, the
 * place of the key in KEYS and a counted list of ids; or `page`, the places of records and index, direction (up or
 * down), where to begin, where to end, limit. Answer: by read, the rows, for a page each after its member of the index;
 * or the error of the one that failed.
 */
export const READ = script(`
local argument = 0
local function take()
  argument = argument + 1
  return ARGV[argument]
end
local function takeKey()
  return KEYS[tonumber(take())]
end
local failure
local function ask(...)
  local answer = redis.pcall(...)
  if type(answer) == 'table' and answer.err then
    failure = failure or answer
    return false
  end
  return answer
end

local answers = {}
for place = 1, tonumber(take()) do
  failure = nil
  local answer = {}
  if take() == 'records' then
    local records = takeKey()
    for row = 1, tonumber(take()) do answer[row] = ask('HGET', records, take()) end
  else
    local records, index = takeKey(), takeKey()
    local range = take() == 'down' and 'ZREVRANGEBYLEX' or 'ZRANGEBYLEX'
    for _, member in ipairs(ask(range, index, take(), take(), 'LIMIT', 0, take()) or {}) do
      local pastIndex = string.find(member, '\\0', 1, true) + 1
      local pastKey = string.find(member, '\\0', pastIndex, true) + 1
      answer[#answer + 1] = member
      answer[#answer + 1] = ask('HGET', records, string.sub(member, pastKey))
    end
  end
  answers[place] = failure or answer
end
return answers
`);

/**
 * KEYS: the format of the store. ARGV: this program's. Answer: the one that the store has, which is this program's unless
 * a later one wrote there.
 */
export const FORMAT = script(`
local found = redis.call('GET', KEYS[1])
if not found or (tonumber(found) or 0) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1])
end
return redis.call('GET', KEYS[1])
`);
