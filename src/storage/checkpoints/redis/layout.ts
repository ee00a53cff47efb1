/**
 * What a thread's checkpoints are in: `data`, a hash, and `index`, a sorted set of score 0 with the fields of
 * its earlier checkpoints, in byte order. The fields are encoded keys, told apart by their first part:
 * - `c`, namespace, checkpoint id: the checkpoint, packed
 * - `v`, namespace, channel, version: the value of a channel, packed
 * - `p`, namespace, checkpoint id: what each task wrote, packed. In format 1 it was `w`, with the task's id at the end,
 *   one for each task and in the index too; so were the latest checkpoints
 * - `fence` alone is no encoded key: the highest token of those who wrote or claimed the thread, which outlives it for
 *   a while; nor is `spread`, which is there when values are spread over all checkpoints
 * - `n`, namespace: the field of the checkpoint that was written last. Ids go by the clock of whoever wrote,
 *   which may be behind another's, so that the highest is not always the latest
 * - `l`, namespace, channel: the channel's log, as generation:chunks; each chunk has a field of its own, named
 *   by the log, generation:number.
 *
 * A value that begins with all that is in its channel's log is stored as the log's length and a tail; what
 * it has beyond is a new chunk. So a conversation that only grows is stored once, not once per version.
 *
 * The names of these, and what else several scripts need, in Lua.
 */
export const HELPERS = `
local data, index = KEYS[1], KEYS[2]
local function within(prefix)
  return '[' .. prefix, '(' .. string.sub(prefix, 1, -2) .. '\\2'
end
local function unpacked(field)
  local packed = redis.call('HGET', data, field)
  return packed and cmsgpack.unpack(packed)
end
-- The field of a checkpoint's writes, and those of its namespace's values, begin as its own does.
local function writesField(checkpoint)
  return 'sp' .. string.sub(checkpoint, 3)
end
local function earlierWrites(checkpoint)
  local first, past = within('sw' .. string.sub(checkpoint, 3))
  return redis.call('ZRANGEBYLEX', index, first, past)
end
-- A checkpoint's tasks, with what they wrote.
local function readTasks(checkpoint)
  local tasks = unpacked(writesField(checkpoint)) or {}
  for _, field in ipairs(earlierWrites(checkpoint)) do tasks[#tasks + 1] = unpacked(field) end
  return tasks
end
-- The first chunks of a log as one; nothing where one of them is gone.
local function joined(log, generation, count)
  local chunks = {}
  for number = 1, count do
    chunks[number] = redis.call('HGET', data, log .. generation .. ':' .. number)
    if not chunks[number] then return nil end
  end
  return table.concat(chunks)
end
local function valuesPrefix(checkpoint)
  return 'sv' .. string.sub(checkpoint, 3, string.find(checkpoint, '\\1', 4, true))
end
-- Where the latest checkpoint of this one's namespace is noted.
local function latestField(checkpoint)
  return 'sn' .. string.sub(checkpoint, 3, string.find(checkpoint, '\\1', 4, true))
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
  for _, key in ipairs(KEYS) do
    if milliseconds == '' then redis.call('PERSIST', key) else redis.call('PEXPIRE', key, milliseconds) end
  end
end
`;
