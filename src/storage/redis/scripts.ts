import { script } from './client.ts';

/**
 * What a store keeps of a collection: `rows` (hash: id → version, newline, JSON, which may be packed) and `index` (sorted set of score 0,
 * members in byte order: index, NUL, key, NUL, id). A row that is in an index has behind its version the length of what
 * takes it out again, and that before the JSON: index and key of each member, NULs between them, with the number of the
 * part (from 1, behind \\2) for a part that was there before. Every script names all keys that it touches, and all carry
 * one hash tag, as a Redis Cluster demands.
 *
 * What several scripts need, in Lua.
 */
const HELPERS = `
local argument = 0
local function take()
  argument = argument + 1
  return ARGV[argument]
end
local function splitRow(row)
  local version, length, from = string.match(row, '^(%d+) (%d+)\\n()')
  if not version then return '', row end
  return string.sub(row, from, from + length - 1), version .. '\\n' .. string.sub(row, from + length)
end
local function joinRow(version, packed, json)
  if packed == '' then return version .. '\\n' .. json end
  return version .. ' ' .. #packed .. '\\n' .. packed .. json
end
local function packPlaces(places)
  local seen, count = {}, 0
  return (string.gsub(places, '[^%z\\1]+\\1', function(part)
    if seen[part] then return seen[part] end
    count = count + 1
    seen[part] = '\\2' .. count .. '\\1'
  end))
end
`;

/**
 * KEYS: the number of the last commit; then rows and index of each collection.
 * ARGV: counted lists of expectations (collection, id, version or nothing), of deletions (collection, id) and
 * of puts (collection, id, JSON, index and key of each member with NULs between). Collections are numbered from 1.
 * Answer: 1 and the commit's number, or 0 and the place of the expectation that does not hold.
 *
 * Redis runs out of memory only at a script's first write, never between its writes. A change that only
 * deletes begins with that, because a deletion is what a full memory needs.
 */
export const COMMIT = script(`${HELPERS}
local function findKeys(collection)
  local first = 2 * tonumber(collection)
  return KEYS[first], KEYS[first + 1]
end
local found = {}
local function readRow(rows, id)
  local name = rows .. '\\0' .. id
  if found[name] == nil then found[name] = redis.call('HGET', rows, id) end
  return found[name]
end

for place = 1, tonumber(take()) do
  local rows = findKeys(take())
  local row = readRow(rows, take())
  local version = row and string.match(row, '^%d+') or ''
  if version ~= take() then return {0, tostring(place)} end
end

local number
local function nextNumber()
  -- Programs of format 2 commit behind a number only, so that none of them writes beside this one.
  local last = tonumber(string.match(redis.call('GET', KEYS[1]) or '0', '%d+$'))
  local time = redis.call('TIME')
  -- The clock keeps numbers from coming again when the server has lost its last commits in a crash.
  number = string.format('%.0f', math.max(last + 1, tonumber(time[1]) * 1000000 + tonumber(time[2])))
  redis.call('SET', KEYS[1], 'commit ' .. number)
end
local function forEachMember(places, id, act)
  for place in string.gmatch(places, '[^%z]+%z[^%z]*') do act(place .. '\\0' .. id) end
end
local function removeMembers(index, id, packed)
  local parts = {}
  local places = string.gsub(packed, '[^%z\\1]+\\1', function(part)
    local earlier = parts[tonumber(string.match(part, '^\\2(%d+)'))]
    if not earlier then parts[#parts + 1] = part end
    return earlier
  end)
  forEachMember(places, id, function(member) redis.call('ZREM', index, member) end)
end

local deletions, puts = tonumber(take()), tonumber(take())
if puts > 0 then nextNumber() end
for _ = 1, deletions do
  local rows, index = findKeys(take())
  local id = take()
  removeMembers(index, id, splitRow(readRow(rows, id) or ''))
  redis.call('HDEL', rows, id)
end
if puts == 0 then nextNumber() end
for _ = 1, puts do
  local rows, index = findKeys(take())
  local id, json, places = take(), take(), take()
  local before, packed = splitRow(readRow(rows, id) or ''), packPlaces(places)
  if packed ~= before then
    removeMembers(index, id, before)
    forEachMember(places, id, function(member) redis.call('ZADD', index, 0, member) end)
  end
  redis.call('HSET', rows, id, joinRow(number, packed, json))
end
return {1, number}
`);

/**
 * Several reads of one moment. KEYS: those that they name. ARGV: the number of reads, then each of them: `records`, the
 * place of the key in KEYS and a counted list of ids; `page`, the places of rows and index, direction (up or
 * down), where to begin, where to end, limit; or `count`, the place of the index, where to begin, where to end. Answer: by
 * read, the rows, for a page each after its member of the index; the number; or the error of the one that failed.
 */
export const READ = script(`${HELPERS}
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

local function askForRow(rows, id)
  local row = ask('HGET', rows, id)
  return row and select(2, splitRow(row))
end

local answers = {}
for place = 1, tonumber(take()) do
  failure = nil
  local answer = {}
  local kind = take()
  if kind == 'records' then
    local rows = takeKey()
    for row = 1, tonumber(take()) do answer[row] = askForRow(rows, take()) end
  elseif kind == 'count' then
    answer = ask('ZLEXCOUNT', takeKey(), take(), take())
  else
    local rows, index = takeKey(), takeKey()
    local range = take() == 'down' and 'ZREVRANGEBYLEX' or 'ZRANGEBYLEX'
    for _, member in ipairs(ask(range, index, take(), take(), 'LIMIT', 0, take()) or {}) do
      local pastIndex = string.find(member, '\\0', 1, true) + 1
      local pastKey = string.find(member, '\\0', pastIndex, true) + 1
      answer[#answer + 1] = member
      answer[#answer + 1] = askForRow(rows, string.sub(member, pastKey))
    end
  end
  answers[place] = failure or answer
end
return answers
`);

/** KEYS: the format of the store. ARGV: this program's, which it has from now on unless it has a later one. */
export const SET_FORMAT = script(`
local found = redis.call('GET', KEYS[1])
if not found or (tonumber(found) or 0) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
`);

/** KEYS: the number of the last commit. From then on, programs of format 2 can't write. */
export const END_FORMAT_2 = script(`
local last = redis.call('GET', KEYS[1])
if last and tonumber(last) then redis.call('SET', KEYS[1], 'commit ' .. last) end
`);

/**
 * Takes a collection from format 2, which had `records`, rows without members, and `entries` (hash: id → packed members).
 * KEYS: records and entries, what these are called from now on. Programs of format 2 that are still running find no
 * records then, and none to delete.
 */
export const RENAME = script(`
for place = 1, 2 do
  if redis.call('EXISTS', KEYS[place]) == 1 then redis.call('RENAMENX', KEYS[place], KEYS[place + 2]) end
end
`);

/** Writes into rows how they leave the index. KEYS: rows, entries. ARGV: cursor, about how many. Answer: the next cursor. */
export const MOVE_ENTRIES = script(`${HELPERS}
local rows, entries = KEYS[1], KEYS[2]
local scanned = redis.call('HSCAN', entries, take(), 'COUNT', take())
for place = 1, #scanned[2], 2 do
  local id, places = scanned[2][place], {}
  for number, member in ipairs(cmsgpack.unpack(scanned[2][place + 1])) do
    places[number] = string.sub(member, 1, -2 - #id)
  end
  local row = redis.call('HGET', rows, id)
  local version, from = string.match(row or '', '^(%d+)\\n()')
  if version then
    redis.call('HSET', rows, id, joinRow(version, packPlaces(table.concat(places, '\\0')), string.sub(row, from)))
  end
  redis.call('HDEL', entries, id)
end
return scanned[1]
`);
