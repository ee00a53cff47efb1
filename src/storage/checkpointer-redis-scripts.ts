import { script } from './redis-client.ts';

/**
 * What a thread's checkpoints are in: `data`, a hash, and `index`, a sorted set of score 0 with the fields of
 * its checkpoints and writes, in byte order. The fields are encoded keys, told apart by their first part:
 * - `c`, namespace, checkpoint id: the checkpoint, packed
 * - `v`, namespace, channel, version: the value of a channel, packed
 * - `w`, namespace, checkpoint id, task id: what the task wrote, packed
 * - `fence` alone is no encoded key: the highest token of those who wrote or claimed the thread
 * - `l`, namespace, channel: the channel's log, as generation:chunks; each chunk has a field of its own, named
 *   by the log, generation:number.
 *
 * A value that begins with all that is in its channel's log is stored as the log's length and a tail; what
 * it has beyond is a new chunk. So a conversation that only grows is stored once, not once per version.
 */

/** Values of fewer bytes are stored whole: a reference would take as many. */
const SHARED_FROM = 256;

/** So many bytes of a value's end stay out of the log: what closes the JSON is not there in the next version. */
const TAIL = 8;

/** Up to so many new bytes go into the tail: a chunk of its own would take as many. */
const LONGEST_TAIL = 64;

/** Then the log begins again, so that reading a value takes a bounded number of steps. */
const MOST_CHUNKS = 256;

const HELPERS = `
local data, index = KEYS[1], KEYS[2]
local function within(prefix)
  return '[' .. prefix, '(' .. string.sub(prefix, 1, -2) .. '\\2'
end
local function unpacked(field)
  local packed = redis.call('HGET', data, field)
  return packed and cmsgpack.unpack(packed)
end
-- The fields of a checkpoint's writes, and of its namespace's values, begin as its own does.
local function writesPrefix(checkpoint)
  return 'sw' .. string.sub(checkpoint, 3)
end
local function valuesPrefix(checkpoint)
  return 'sv' .. string.sub(checkpoint, 3, string.find(checkpoint, '\\1', 4, true))
end
-- The last argument of what writes is its token, or nothing; takes it off the others.
local function isFenced()
  local token = tonumber(table.remove(ARGV))
  if not token then return false end
  local highest = tonumber(redis.call('HGET', data, 'fence') or '0')
  if token > highest then redis.call('HSET', data, 'fence', string.format('%.0f', token)) end
  return token < highest
end
local function keepFor(milliseconds)
  if milliseconds == '' then return end
  redis.call('PEXPIRE', data, milliseconds)
  redis.call('PEXPIRE', index, milliseconds)
end
`;

/**
 * ARGV: time to live (milliseconds or nothing), field; namespace, id, parent, type and bytes, metadata's type
 * and bytes; a counted list of the rests of its values' fields; then for each new value: field, field of the
 * channel's log, channel, type, bytes; last the token of the writer, or nothing.
 */
export const PUT = script(`${HELPERS}
local function appended(log, bytes)
  local generation, count = string.match(redis.call('HGET', data, log) or '1:0', '^(%d+):(%d+)$')
  generation, count = tonumber(generation), tonumber(count)
  local at = 1
  for number = 1, count do
    local chunk = redis.call('HGET', data, log .. generation .. ':' .. number)
    if not chunk or count >= ${MOST_CHUNKS} or string.sub(bytes, at, at + #chunk - 1) ~= chunk then
      generation, count, at = generation + 1, 0, 1
      break
    end
    at = at + #chunk
  end
  if #bytes - at >= ${LONGEST_TAIL} then
    local past = #bytes - ${TAIL} + 1
    count = count + 1
    redis.call('HSET', data, log .. generation .. ':' .. count, string.sub(bytes, at, past - 1))
    redis.call('HSET', data, log, generation .. ':' .. count)
    at = past
  end
  return generation, count, string.sub(bytes, at)
end

if isFenced() then return 'FENCED' end
local row, versions = {}, {}
for place = 3, 9 do row[place - 2] = ARGV[place] end
local counted = tonumber(ARGV[10])
for place = 1, counted do versions[place] = ARGV[10 + place] end
row[8] = versions
for place = 11 + counted, #ARGV, 5 do
  local field, log, channel, kind, bytes = ARGV[place], ARGV[place + 1], ARGV[place + 2], ARGV[place + 3], ARGV[place + 4]
  local value = {channel, kind, bytes}
  if #bytes >= ${SHARED_FROM} then
    local generation, count, tail = appended(log, bytes)
    value = {channel, kind, tail, log, generation, count}
  end
  redis.call('HSET', data, field, cmsgpack.pack(value))
end
redis.call('HSET', data, ARGV[2], cmsgpack.pack(row))
redis.call('ZADD', index, 0, ARGV[2])
keepFor(ARGV[1])
`);

/** ARGV: time to live, field, task id, task path; for each write: place, channel, type, bytes; last the token. */
export const PUT_WRITES = script(`${HELPERS}
if isFenced() then return 'FENCED' end
local task = unpacked(ARGV[2]) or {ARGV[3], ARGV[4], {}}
local writes = task[3]
local places = {}
for number, write in ipairs(writes) do places[write[1]] = number end
for at = 5, #ARGV, 4 do
  local place = ARGV[at]
  if not places[place] or tonumber(place) < 0 then
    places[place] = places[place] or #writes + 1
    writes[places[place]] = {place, ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]}
  end
end
redis.call('HSET', data, ARGV[2], cmsgpack.pack(task))
redis.call('ZADD', index, 0, ARGV[2])
keepFor(ARGV[1])
`);

/** ARGV: time to live, token. */
export const CLAIM = script(`${HELPERS}
if isFenced() then return 'FENCED' end
keepFor(ARGV[1])
`);

/**
 * ARGV: the checkpoint's field, or the prefix of its namespace's for the latest. Answer: nothing, or namespace,
 * id, parent, type and bytes, metadata's type and bytes, values (channel, type, bytes), and tasks (id,
 * path, writes (place, channel, type, bytes)).
 */
export const READ = script(`${HELPERS}
local function value(field)
  local row = unpacked(field)
  if not row or not row[4] then return row end
  local parts = {}
  for number = 1, row[6] do
    parts[number] = redis.call('HGET', data, row[4] .. row[5] .. ':' .. number)
  end
  return {row[1], row[2], table.concat(parts) .. row[3]}
end

local first, past = within(ARGV[1])
local field = redis.call('ZREVRANGEBYLEX', index, past, first, 'LIMIT', 0, 1)[1]
if not field then return false end
local row = unpacked(field)
local values, writes = {}, {}
for _, version in ipairs(row[8]) do
  local found = value(valuesPrefix(field) .. version)
  if found then values[#values + 1] = found end
end
first, past = within(writesPrefix(field))
for _, task in ipairs(redis.call('ZRANGEBYLEX', index, first, past)) do
  writes[#writes + 1] = unpacked(task)
end
row[8] = values
row[9] = writes
return row
`);

/** ARGV: past the last field and the first field, as ZREVRANGEBYLEX takes them; the most to give (-1: all). */
export const HEADS = script(`${HELPERS}
local heads = {}
for _, field in ipairs(redis.call('ZREVRANGEBYLEX', index, ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])) do
  local row = unpacked(field)
  heads[#heads + 1] = {row[1], row[2], row[6], row[7]}
end
return heads
`);

/** ARGV: the prefix of all checkpoints' fields, how many of each namespace to keep. */
export const PRUNE = script(`${HELPERS}
local namespace, age, used = nil, 0, {}
local first, past = within(ARGV[1])
for _, field in ipairs(redis.call('ZREVRANGEBYLEX', index, past, first)) do
  local row = unpacked(field)
  if row[1] ~= namespace then namespace, age = row[1], 0 end
  age = age + 1
  if age <= tonumber(ARGV[2]) then
    for _, version in ipairs(row[8]) do used[valuesPrefix(field) .. version] = true end
  else
    local firstWrite, pastWrite = within(writesPrefix(field))
    for _, task in ipairs(redis.call('ZRANGEBYLEX', index, firstWrite, pastWrite)) do
      redis.call('HDEL', data, task)
      redis.call('ZREM', index, task)
    end
    redis.call('HDEL', data, field)
    redis.call('ZREM', index, field)
  end
end

local live = {}
for field in pairs(used) do
  local row = unpacked(field)
  if row and row[4] then live[row[4] .. row[5]] = true end
end
for _, field in ipairs(redis.call('HKEYS', data)) do
  local log, generation = string.match(field, '^(sl\\1.*\\1)(%d+):%d+$')
  -- The log itself stays: were its generations to begin again, one that is still in use would be overwritten.
  if log and not live[log .. generation] then
    redis.call('HDEL', data, field)
  elseif string.sub(field, 1, 3) == 'sv\\1' and not used[field] then
    redis.call('HDEL', data, field)
  end
end
`);
