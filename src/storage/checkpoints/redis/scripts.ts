import { script } from '../../redis/client.ts';
import { COMMIT as COMMIT_RECORDS } from '../../redis/scripts.ts';
import { HELPERS } from './layout.ts';

/** Smaller values are stored whole, because a reference would take as many bytes. */
const SHARED_FROM = 256;

/** Bytes at a value's end that stay out of the log: they close the JSON, and are elsewhere in the next version. */
const TAIL = 8;

/** Up to this many new bytes go into the tail, because a chunk of their own would take as many. */
const LONGEST_TAIL = 64;

/** The most chunks of a log; then they become one of a new log, so that reading a value takes a bounded number of steps. */
const MOST_CHUNKS = 256;

/**
 * ARGV: time to live (milliseconds or nothing); the changes in their order, each as its kind, the number of its
 * arguments, and these; last the token of the writer, or nothing. Answer: how many changes are done, from the
 * first on: all, unless one goes on from a version that is not there or has not the log's end.
 *
 * `checkpoint`: field; namespace, id, parent, type and bytes, metadata's type and bytes; whether it is spread;
 * a counted list of the rests of its values' fields; then for each new value: field, field of the channel's
 * log, channel, type, bytes, and nothing and 0, or the field of the version that it goes on from, and how
 * many bytes at the end of that are dropped.
 *
 * `writes`: the checkpoint's field, task id, task path; for each write: place, channel, type, bytes.
 *
 * `prune`: the prefix of all checkpoints' fields, how many of each namespace to keep.
 */
export const COMMIT = script(`${HELPERS}
-- What is new of a value, behind so many chunks of its log: put into a chunk of its own if it is long.
local function lengthened(log, generation, count, new)
  if #new <= ${LONGEST_TAIL} then return {generation, count, new} end
  count = count + 1
  redis.call('HSET', data, log .. generation .. ':' .. count, string.sub(new, 1, -${TAIL + 1}))
  redis.call('HSET', data, log, generation .. ':' .. count)
  return {generation, count, string.sub(new, -${TAIL})}
end
local function readHead(log)
  local generation, count = string.match(redis.call('HGET', data, log) or '1:0', '^(%d+):(%d+)$')
  return tonumber(generation), tonumber(count)
end
local function appended(log, bytes)
  local generation, count = readHead(log)
  local at = 1
  for number = 1, count do
    local chunk = redis.call('HGET', data, log .. generation .. ':' .. number)
    if not chunk or count >= ${MOST_CHUNKS} or string.sub(bytes, at, at + #chunk - 1) ~= chunk then
      generation, count, at = generation + 1, 0, 1
      break
    end
    at = at + #chunk
  end
  return lengthened(log, generation, count, string.sub(bytes, at))
end
local function valueFrom(args, at)
  local log, channel, kind, bytes = args[at + 1], args[at + 2], args[at + 3], args[at + 4]
  local earlier, dropped = args[at + 5], tonumber(args[at + 6])
  if earlier ~= '' then
    earlier = unpacked(earlier)
    if not earlier or dropped > #earlier[3] then return nil end
    local new = string.sub(earlier[3], 1, #earlier[3] - dropped) .. bytes
    if earlier[4] then
      local generation, count = readHead(log)
      if generation ~= earlier[5] or count ~= earlier[6] then return nil end
      if count >= ${MOST_CHUNKS} then
        local chunks = joined(log, generation, count)
        if not chunks then return nil end
        generation, count, new = generation + 1, 0, chunks .. new
      end
      local place = lengthened(log, generation, count, new)
      return {channel, kind, place[3], log, place[1], place[2]}
    end
    bytes = new
  end
  if #bytes < ${SHARED_FROM} then return {channel, kind, bytes} end
  local place = appended(log, bytes)
  return {channel, kind, place[3], log, place[1], place[2]}
end

local function forgetEarlierWrites(checkpoint)
  for _, field in ipairs(earlierWrites(checkpoint)) do
    redis.call('HDEL', data, field)
    redis.call('ZREM', index, field)
  end
end

local changes = {}
-- What removes comes after what adds: Redis says that it's full only at a script's first write.
function changes.checkpoint(args)
  local row, versions = {}, {}
  for place = 2, 8 do row[place - 1] = args[place] end
  local counted = tonumber(args[10])
  for place = 1, counted do versions[place] = args[10 + place] end
  row[8] = versions
  for place = 11 + counted, #args, 7 do
    local value = valueFrom(args, place)
    if not value then return false end
    redis.call('HSET', data, args[place], cmsgpack.pack(value))
  end
  if args[9] == '1' then redis.call('HSET', data, 'spread', '1') end
  local latest = redis.call('HGET', data, latestField(args[1]))
  redis.call('HSET', data, args[1], cmsgpack.pack(row), latestField(args[1]), args[1])
  if latest and latest ~= args[1] then redis.call('ZADD', index, 0, latest) end
  redis.call('ZREM', index, args[1])
  return true
end
function changes.writes(args)
  local tasks, task = readTasks(args[1]), nil
  for _, other in ipairs(tasks) do
    if other[1] == args[2] then task = other end
  end
  if not task then
    task = {args[2], args[3], {}}
    tasks[#tasks + 1] = task
  end
  local writes = task[3]
  local places = {}
  for number, write in ipairs(writes) do places[write[1]] = number end
  for at = 4, #args, 4 do
    local place = args[at]
    if not places[place] or tonumber(place) < 0 then
      places[place] = places[place] or #writes + 1
      writes[places[place]] = {place, args[at + 1], args[at + 2], args[at + 3]}
    end
  end
  redis.call('HSET', data, writesField(args[1]), cmsgpack.pack(tasks))
  forgetEarlierWrites(args[1])
  return true
end
function changes.prune(args)
  if redis.call('HEXISTS', data, 'spread') == 1 then return true end
  local namespace, latest, age, used = nil, nil, 0, {}
  local function keep(field, row)
    for _, version in ipairs(row[8]) do used[valuesPrefix(field) .. version] = true end
  end
  local first, past = within(args[1])
  for _, field in ipairs(redis.call('ZREVRANGEBYLEX', index, past, first)) do
    local row = unpacked(field)
    if row[1] ~= namespace then
      namespace, latest = row[1], redis.call('HGET', data, latestField(field))
      age = latest and 1 or 0
    end
    if field ~= latest then age = age + 1 end
    if field == latest or age <= tonumber(args[2]) then
      keep(field, row)
    else
      forgetEarlierWrites(field)
      redis.call('HDEL', data, field, writesField(field))
      redis.call('ZREM', index, field)
    end
  end
  local fields = redis.call('HKEYS', data)
  for _, field in ipairs(fields) do
    if string.sub(field, 1, 3) == 'sn\\1' then
      latest = redis.call('HGET', data, field)
      keep(latest, unpacked(latest))
    end
  end

  local live = {}
  for field in pairs(used) do
    local row = unpacked(field)
    if row and row[4] then live[row[4] .. row[5]] = true end
  end
  for _, field in ipairs(fields) do
    local log, generation = string.match(field, '^(sl\\1.*\\1)(%d+):%d+$')
    -- The log itself stays: were its generations to begin again, one that is still in use would be overwritten.
    if log and not live[log .. generation] then
      redis.call('HDEL', data, field)
    elseif string.sub(field, 1, 3) == 'sv\\1' and not used[field] then
      redis.call('HDEL', data, field)
    end
  end
  return true
end

if isFenced() then return 'FENCED' end
local at, done = 2, 0
while at <= #ARGV do
  local args = {}
  for place = 1, tonumber(ARGV[at + 1]) do args[place] = ARGV[at + 1 + place] end
  if not changes[ARGV[at]](args) then break end
  at, done = at + 2 + #args, done + 1
end
keepFor(ARGV[1])
return done
`);

/**
 * {@link COMMIT} and, if all its changes are done, a commit of records. KEYS: those of each. ARGV: the number of
 * changes; how many arguments are of the first, and these; then those of the second. Answer: the second's, or else that
 * of the first.
 *
 * Redis runs out of memory only at the first write, which is one of the checkpoint: neither is written then.
 */
export const COMMIT_BOTH = script(`
local function commitCheckpoint(KEYS, ARGV)
${COMMIT.lua}
end
local function commitRecords(KEYS, ARGV)
${COMMIT_RECORDS.lua}
end
local function part(list, first, last)
  local items = {}
  for place = first, last do items[place - first + 1] = list[place] end
  return items
end
local last = 2 + tonumber(ARGV[2])
local done = commitCheckpoint(part(KEYS, 1, 2), part(ARGV, 3, last))
if done ~= tonumber(ARGV[1]) then return done end
return commitRecords(part(KEYS, 3, #KEYS), part(ARGV, last + 1, #ARGV))
`);

/** ARGV: time to live, token. */
export const CLAIM = script(`${HELPERS}
if isFenced() then return 'FENCED' end
keepFor(ARGV[1])
`);

/** How long a deleted thread's fence stays, in milliseconds: a process that was held up for longer is gone. */
const FENCE_KEPT_MS = 24 * 60 * 60 * 1_000;

export const DELETE = script(`${HELPERS}
local fence = redis.call('HGET', data, 'fence')
redis.call('UNLINK', data, index)
if not fence then return end
redis.call('HSET', data, 'fence', fence)
redis.call('PEXPIRE', data, ${FENCE_KEPT_MS})
`);

/**
 * ARGV: the checkpoint's field, or the prefix of its namespace's for the latest; for each value that the reader
 * knows, the rest of its field, and its channel. Answer: nothing, or namespace, id, parent, type and bytes,
 * metadata's type and bytes, values (channel, type, bytes; the latter two empty where it is known), and tasks
 * (id, path, writes (place, channel, type, bytes)).
 */
export const READ = script(`${HELPERS}
local function value(field)
  local row = unpacked(field)
  if not row or not row[4] then return row end
  return {row[1], row[2], joined(row[4], row[5], row[6]) .. row[3]}
end

local field = ARGV[1]
if redis.call('HEXISTS', data, field) == 0 then
  local first, past = within(field)
  field = redis.call('HGET', data, 'sn' .. string.sub(field, 3))
    or redis.call('ZREVRANGEBYLEX', index, past, first, 'LIMIT', 0, 1)[1]
end
if not field then return false end
local row = unpacked(field)
local values, known = {}, {}
for place = 2, #ARGV, 2 do known[ARGV[place]] = ARGV[place + 1] end
for _, version in ipairs(row[8]) do
  local found
  if known[version] then
    found = {known[version], '', ''}
  else
    found = value(valuesPrefix(field) .. version)
  end
  if found then values[#values + 1] = found end
end
row[8] = values
row[9] = readTasks(field)
return row
`);

/**
 * ARGV: past the last field and the first field, as ZREVRANGEBYLEX takes them; the most to give (-1: all). Answer: so
 * many of the earlier ones, and the latest of each namespace, in no order.
 */
export const HEADS = script(`${HELPERS}
local heads, seen = {}, {}
local function add(field)
  if seen[field] then return end
  seen[field] = true
  local row = unpacked(field)
  heads[#heads + 1] = {row[1], row[2], row[6], row[7]}
end
for _, field in ipairs(redis.call('HKEYS', data)) do
  if string.sub(field, 1, 3) == 'sn\\1' then add(redis.call('HGET', data, field)) end
end
for _, field in ipairs(redis.call('ZREVRANGEBYLEX', index, ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])) do
  add(field)
end
return heads
`);
